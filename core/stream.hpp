// From token ids to a stream of positions, over which windows are laid, and to the postings of each
// word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace firth {

// The end of a line in a stream. Ids have 16 bits if all of them are below this value, else 32: a
// stream of half the size is faster to read.
template <class Id>
inline constexpr Id kEndOfLine = std::numeric_limits<Id>::max();

inline constexpr std::uint32_t kDropped = 0xFFFFFFFEU;  // in a map: the token gets no position

// The tokens of a part (0 ends a line, k is type k - 1), and the id that each of its types is
// mapped to.
struct Tokens {
    std::span<const std::uint32_t> ids;
    std::span<const std::uint32_t> map;
};

// Writes the positions of all parts to `out`, one part after another: ids are translated by the map
// of their part, and dropped tokens are left out. Returns the number of positions. Throws if an id
// has no entry in its map, if a mapped id does not fit the stream, or if `out` is too small.
template <class Id>
std::size_t place(const std::vector<Tokens>& parts, std::span<Id> out, unsigned threads);

// Groups the positions [first, last) of a stream by the id at each, with a counting sort. The
// positions of row r are postings[starts[r]] .. postings[starts[r + 1]), in increasing order. Ids
// of `rows` and above have no postings. `starts` has rows + 1 entries; `postings` has room for last
// - first.
template <class Id>
void bucket(const Id* stream, std::size_t first, std::size_t last, std::size_t rows,
            std::int64_t* starts, std::uint32_t* postings, unsigned threads);

}  // namespace firth
