#include "slice.hpp"

#include <vector>

namespace firth {

namespace {

constexpr std::int32_t kOut = -1;

}  // namespace

bool slice(const SparseRows& a, const std::int32_t* kept, std::size_t size, Slice& out) {
    std::vector<std::int32_t> places(a.width, kOut);
    std::size_t cells = 0;
    for (std::size_t i = 0; i < size; ++i) {
        places[static_cast<std::size_t>(kept[i])] = static_cast<std::int32_t>(i);
        cells += static_cast<std::size_t>(a.starts[kept[i] + 1] - a.starts[kept[i]]);
    }
    // Room for every cell of these rows at first: pages that are not written take no memory.
    out.starts.resize(size + 1);
    out.columns.resize(cells);
    out.values.resize(cells);
    std::size_t end = 0;
    out.starts[0] = 0;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::int64_t at = a.starts[kept[i]]; at < a.starts[kept[i] + 1]; ++at) {
            const std::int32_t column = a.columns[at];
            if (column < 0 || static_cast<std::size_t>(column) >= a.width) return false;
            const std::int32_t place = places[static_cast<std::size_t>(column)];
            out.columns[end] = place;  // overwritten by the next cell if it is left out
            out.values[end] = a.values[at];
            end += static_cast<std::size_t>(place != kOut);
        }
        out.starts[i + 1] = static_cast<std::int64_t>(end);
    }
    out.columns.shrink(end);
    out.values.shrink(end);
    return true;
}

}  // namespace firth
