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

// Keeps a token of a frequent type with a probability. Whether it is kept depends on the key and on
// the token's place in the text alone, and so on neither chunks nor threads.
struct Sampling {
    std::span<const std::uint32_t> thresholds;  // of each type; kAlways keeps every token
    std::uint64_t first = 0;                    // the place of the part's first token in the text
    std::uint64_t key = 0;
};

inline constexpr std::uint32_t kAlways = 0xFFFFFFFFU;

// A number from 0 to 2^32 - 1 for a place in the text; a token is kept if it is below the threshold
// of its type.
std::uint32_t draw(std::uint64_t key, std::uint64_t place);

// The tokens of a part (0 ends a line, k is type k - 1), and the id that each of its types is
// mapped to. Without thresholds every token is kept.
struct Tokens {
    std::span<const std::uint32_t> ids;
    std::span<const std::uint32_t> map;
    Sampling sampling = {};
};

// How many positions were written, and how many tokens sampling left out.
struct Placed {
    std::size_t positions = 0;
    std::size_t sampled_out = 0;
};

// Writes the positions of all parts to `out`, one part after another: ids are translated by the map
// of their part, and dropped tokens are left out. Throws if an id has no entry in its map, if a
// mapped id does not fit the stream, or if `out` is too small.
template <class Id>
Placed place(const std::vector<Tokens>& parts, std::span<Id> out, unsigned threads);

// Groups the positions [first, last) of a stream by the id at each, with a counting sort. The
// positions of row r are postings[starts[r]] .. postings[starts[r + 1]), in increasing order. Ids
// of `rows` and above have no postings. `starts` has rows + 1 entries; `postings` has room for last
// - first.
template <class Id>
void bucket(const Id* stream, std::size_t first, std::size_t last, std::size_t rows,
            std::int64_t* starts, std::uint32_t* postings, unsigned threads);

}  // namespace firth
