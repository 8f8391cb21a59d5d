#include "stream.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "mixing.hpp"
#include "parallel.hpp"

namespace firth {

namespace {

// Translates a part to `to`. Unless kWrite, only counts its positions.
template <bool kWrite, bool kSample, class Id>
Placed translate(const Tokens& part, Id* to) {
    Placed placed;
    std::uint64_t at = part.sampling.first;
    for (const std::uint32_t id : part.ids) {
        if (id > part.map.size())
            throw std::out_of_range("a token id lies outside its part's types");
        const std::uint32_t position = id == 0 ? kEndOfLine<std::uint32_t> : part.map[id - 1];
        const std::uint64_t here = at;
        if (id != 0) ++at;
        if (position == kDropped) continue;
        if constexpr (kSample) {
            const std::uint32_t most = id == 0 ? kAlways : part.sampling.thresholds[id - 1];
            if (most != kAlways && draw(part.sampling.key, here) >= most) {
                ++placed.sampled_out;
                continue;
            }
        }
        if constexpr (kWrite) to[placed.positions] = static_cast<Id>(position);
        ++placed.positions;
    }
    return placed;
}

template <bool kWrite, class Id>
Placed translate(const Tokens& part, Id* to) {
    if (part.sampling.thresholds.empty()) return translate<kWrite, false>(part, to);
    if (part.sampling.thresholds.size() != part.map.size())
        throw std::invalid_argument("a threshold for each type of a part");
    return translate<kWrite, true>(part, to);
}

template <class Id>
void check_map(const Tokens& part) {
    for (const std::uint32_t position : part.map)
        if (position != kDropped && position >= kEndOfLine<Id>)
            throw std::out_of_range("a word's id does not fit the stream");
}

}  // namespace

std::uint32_t draw(std::uint64_t key, std::uint64_t place) {
    constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;
    return static_cast<std::uint32_t>(mixed(mixed(key + kStep) + (place + 1) * kStep) >> 32);
}

template <class Id>
Placed place(const std::vector<Tokens>& parts, std::span<Id> out, unsigned threads) {
    std::vector<std::size_t> begins(parts.size() + 1, 0);
    std::vector<std::size_t> left_out(parts.size(), 0);
    parallel_for(parts.size(), threads, [&](std::size_t part, unsigned, Loop&) {
        check_map<Id>(parts[part]);
        const Placed found = translate<false, Id>(parts[part], nullptr);
        begins[part + 1] = found.positions;
        left_out[part] = found.sampled_out;
    });
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    if (begins.back() > out.size()) throw std::invalid_argument("no room for the stream");
    parallel_for(parts.size(), threads, [&](std::size_t part, unsigned, Loop&) {
        translate<true, Id>(parts[part], out.data() + begins[part]);
    });
    return {begins.back(), std::accumulate(left_out.begin(), left_out.end(), std::size_t{0})};
}

template <class Id>
void bucket(const Id* stream, std::size_t first, std::size_t last, std::size_t rows,
            std::int64_t* starts, std::uint32_t* postings, unsigned threads) {
    if (last > kDropped) throw std::length_error("a chunk must have fewer than 2^32 positions");
    const std::size_t size = last - first;
    // Fewer slices than threads when the stream is short, because each slice has a histogram of all
    // rows.
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

template Placed place(const std::vector<Tokens>&, std::span<std::uint16_t>, unsigned);
template Placed place(const std::vector<Tokens>&, std::span<std::uint32_t>, unsigned);
template void bucket(const std::uint16_t*, std::size_t, std::size_t, std::size_t, std::int64_t*,
                     std::uint32_t*, unsigned);
template void bucket(const std::uint32_t*, std::size_t, std::size_t, std::size_t, std::int64_t*,
                     std::uint32_t*, unsigned);

}  // namespace firth
