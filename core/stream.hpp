// Token ids to positions: the stream that windows are laid on, and each word's postings in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace firth {

// What ends a line in a stream. Its ids have 16 bits where all of them fit below this, and 32
// elsewhere: windows of a stream that is half as long in memory are fetched in less time.
template <class Id>
inline constexpr Id kEndOfLine = std::numeric_limits<Id>::max();

inline constexpr std::uint32_t kDropped = 0xFFFFFFFEU;  // in a map: the token leaves no position

// A part's tokens (0 ends a line, k is type k - 1), and what each of its types becomes.
struct Tokens {
    std::span<const std::uint32_t> ids;
    std::span<const std::uint32_t> map;
};

// Lays parts end to end, each id translated by its part's map, dropped tokens left out. Returns how
// many positions were written to `out`. Throws if an id has no entry in its map, if that does not
// fit, or if `out` has no room for them all.
template <class Id>
std::size_t place(const std::vector<Tokens>& parts, std::span<Id> out, unsigned threads);

// Buckets the positions [first, last) of a stream by the id that stands there, by counting sort:
// the positions of row r are postings[starts[r]] .. postings[starts[r + 1]), rising. Ids of `rows`
// and above have no postings. `starts` has rows + 1 entries; `postings` room for last - first.
template <class Id>
void bucket(const Id* stream, std::size_t first, std::size_t last, std::size_t rows,
            std::int64_t* starts, std::uint32_t* postings, unsigned threads);

}  // namespace firth
