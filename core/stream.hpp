// Token ids to positions: the stream that windows are laid on, and each word's postings in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace firth {

inline constexpr std::uint32_t kEndOfLine = 0xFFFFFFFFU;
inline constexpr std::uint32_t kDropped = 0xFFFFFFFEU;  // in a map: the token leaves no position

// Translates a part's ids (0 ends a line, k is type k - 1) by `map`, one entry a type, leaving out
// dropped tokens. Returns how many positions were written to `out`, which has room for `size`.
// Throws if an id has no entry in the map.
std::size_t place(const std::uint32_t* ids, std::size_t size, const std::uint32_t* map,
                  std::size_t types, std::uint32_t* out);

// Buckets the positions [first, last) of a stream by the id that stands there, by counting sort:
// the positions of row r are postings[starts[r]] .. postings[starts[r + 1]), rising. Ids of `rows`
// and above have no postings. `starts` has rows + 1 entries; `postings` room for last - first.
void bucket(const std::uint32_t* stream, std::size_t first, std::size_t last, std::size_t rows,
            std::int64_t* starts, std::uint32_t* postings, unsigned threads);

}  // namespace firth
