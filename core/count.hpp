// Positions to counts: for each word, walk its postings and add its windows into a dense row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rows.hpp"

namespace firth {

struct Windows {
    // Weight in units at distance 1, 2, … to each side; an empty side is not looked at.
    std::vector<std::uint64_t> left;
    std::vector<std::uint64_t> right;
    // One block of columns per offset, -L … -1, +1 … +L, instead of one sum over the window.
    bool positional = false;
};

// The contexts that stand around each posting. `contexts` is a stream whose first and last entry
// end a line; ids of `columns` and above (but below `universe`) hold a place and count nothing.
template <class Id>
struct Postings {
    const Id* contexts;
    std::size_t universe;
    std::size_t columns;
    const std::int64_t* starts;      // rows + 1
    const std::uint32_t* positions;  // by row, rising
    std::size_t rows;
    const std::int32_t* leave_out;  // a column to leave out of each row, -1 none; or nullptr
};

// What is wrong with postings whose stream has `size` entries, or nullptr.
template <class Id>
const char* flaw(const Postings<Id>& postings, std::size_t size, unsigned threads);

// Counts all rows into `sink`, of postings without a flaw.
template <class Id>
void count_rows(const Postings<Id>& postings, const Windows& windows, RowSink& sink,
                unsigned threads, const Poll& poll);

}  // namespace firth
