#include "stream.hpp"

#include <algorithm>
#include <stdexcept>

#include "parallel.hpp"

namespace firth {

std::size_t place(const std::uint32_t* ids, std::size_t size, const std::uint32_t* map,
                  std::size_t types, std::uint32_t* out) {
    std::uint32_t* to = out;
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint32_t id = ids[i];
        if (id > types) throw std::out_of_range("a token id lies outside its part's types");
        const std::uint32_t position = id == 0 ? kEndOfLine : map[id - 1];
        *to = position;
        to += position != kDropped;
    }
    return static_cast<std::size_t>(to - out);
}

void bucket(const std::uint32_t* stream, std::size_t first, std::size_t last, std::size_t rows,
            std::int64_t* starts, std::uint32_t* postings, unsigned threads) {
    if (last > kDropped) throw std::length_error("a chunk must have fewer than 2^32 positions");
    const std::size_t size = last - first;
    // Fewer slices than threads when the stream is short, for a histogram is rows long.
    const std::size_t most = std::max<std::size_t>(1, size / (rows + 1));
    const std::size_t slices = std::clamp<std::size_t>(threads, 1, most);
    const auto edge = [&](std::size_t slice) { return first + size * slice / slices; };
    std::vector<std::vector<std::uint32_t>> at(slices);
    parallel_for(slices, threads, [&](std::size_t slice, unsigned, Loop&) {
        auto& histogram = at[slice];
        histogram.assign(rows, 0);
        for (std::size_t p = edge(slice); p < edge(slice + 1); ++p)
            if (stream[p] < rows) ++histogram[stream[p]];
    });
    std::int64_t total = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        starts[row] = total;
        for (auto& histogram : at) {
            const std::uint32_t count = histogram[row];
            histogram[row] = static_cast<std::uint32_t>(total);
            total += count;
        }
    }
    starts[rows] = total;
    parallel_for(slices, threads, [&](std::size_t slice, unsigned, Loop&) {
        auto& next = at[slice];
        for (std::size_t p = edge(slice); p < edge(slice + 1); ++p)
            if (stream[p] < rows) postings[next[stream[p]]++] = static_cast<std::uint32_t>(p);
    });
}

}  // namespace firth
