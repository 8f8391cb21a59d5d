// Token ids to positions: the stream that windows are laid on, and each word's postings in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace firth {

inline constexpr std::uint32_t kEndOfLine = 0xFFFFFFFFU;
inline constexpr std::uint32_t kDropped = 0xFFFFFFFEU;  // in a map: the token leaves no position

// A part's tokens (0 ends a line, k is type k - 1), and what each of its types becomes.
struct Tokens {
    std::span<const std::uint32_t> ids;
    std::span<const std::uint32_t> map;
};

// Lays parts end to end, each id translated by its part's map, dropped tokens left out. Returns how
// many positions were written to `out`. Throws if an id has no entry in its map, or if `out` has
// no room for them all.
std::size_t place(const std::vector<Tokens>& parts, std::span<std::uint32_t> out, unsigned threads);

// Buckets the positions [first, last) of a stream by the id that stands there, by counting sort:
// the positions of row r are postings[starts[r]] .. postings[starts[r + 1]), rising. Ids of `rows`
// and above have no postings. `starts` has rows + 1 entries; `postings` room for last - first.
void bucket(const std::uint32_t* stream, std::size_t first, std::size_t last, std::size_t rows,
            std::int64_t* starts, std::uint32_t* postings, unsigned threads);

}  // namespace firth
