// Counts contexts: for each word, goes through its postings and adds the windows around them into a
// dense row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rows.hpp"

namespace firth {

// What has a block of columns of its own: the whole window, each of its sides (the left before the
// right), or each offset, -L … -1, +1 … +L.
enum class Blocks : std::uint8_t { window, sides, offsets };

struct Windows {
    // Weights in units at distances 1, 2, … on each side; an empty side is skipped.
    std::vector<std::uint64_t> left;
    std::vector<std::uint64_t> right;
    Blocks blocks = Blocks::window;
};

// The postings of each row, and the stream of contexts around them. The first and last entry of
// `contexts` are ends of lines. Ids from `columns` on (but below `universe`) take up a position and
// are not counted.
template <class Id>
struct Postings {
    const Id* contexts;
    std::size_t universe;
    std::size_t columns;
    const std::int64_t* starts;      // rows + 1
    const std::uint32_t* positions;  // by row, increasing
    std::size_t rows;
    const std::int32_t* leave_out;  // a column that each row skips, -1 for none; or nullptr
};

// Returns what is wrong with postings whose stream has `size` entries, or nullptr.
template <class Id>
const char* flaw(const Postings<Id>& postings, std::size_t size, unsigned threads);

// Counts all rows into `sink`. The postings must have no flaw.
template <class Id>
void count_rows(const Postings<Id>& postings, const Windows& windows, RowSink& sink,
                unsigned threads, const Poll& poll);

}  // namespace firth
