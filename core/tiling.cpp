#include "tiling.hpp"

#include <algorithm>
#include <numeric>

#include "gathered.hpp"
#include "pages.hpp"

namespace firth {
namespace {

// Bytes of the other side's rows that a core's own cache keeps through a pass over many rows.
constexpr std::size_t kNear = kSanitized ? 4096 : std::size_t{448} << 10;
// Tiles' worth of nonzeros that a row can have for its own cache to hold their rows from one pass
// to the next, and how often a row of the other side must be needed by a group for tiles to pay.
constexpr std::size_t kHeld = 3;
constexpr std::size_t kReuse = 4;
// Nonzeros of a row in a tile, on average, without which tiles are joined.
constexpr std::size_t kShare = kSanitized ? 2 : 128;
// Rows of a group, and bytes of what it remembers of them.
constexpr std::size_t kTogether = 256;
constexpr std::size_t kBeside = std::size_t{768} << 10;
constexpr std::size_t kBytes = 2 * sizeof(double) + 2 * sizeof(float);  // for each coordinate
// Nonzeros of a piece of work: rows in tiles, whose weights are remembered, and others.
constexpr std::size_t kTiled = kSanitized ? 64 : 1 << 20;
constexpr std::size_t kSingle = kSanitized ? 64 : 1 << 15;

}  // namespace

Tiles::Tiles(const ObservedBlocks& observed, std::size_t stride)
    : observed_(observed),
      tile_(std::max(kNear / (stride * sizeof(float)), kBlock)),
      order_(observed.rows()) {
    std::size_t count = 0;
    for (const auto& block : observed.blocks()) count += tiles_of(*block.cells);
    const std::size_t least = std::max(tile_, count * kShare);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto middle = std::stable_partition(
        order_.begin(), order_.end(), [&](std::size_t row) { return observed.size(row) > least; });
    const auto tiled = static_cast<std::size_t>(middle - order_.begin());
    const std::size_t together = std::clamp<std::size_t>(kBeside / (stride * kBytes), 4, kTogether);
    for (std::size_t begin = 0; begin < order_.size();) {
        const bool in_tiles = begin < tiled;
        const std::size_t last =
            std::min(in_tiles ? tiled : order_.size(), begin + (in_tiles ? together : kTogether));
        std::size_t end = begin;
        for (std::size_t sum = 0; end < last && sum < (in_tiles ? kTiled : kSingle);)
            sum += observed.size(order_[end++]);
        items_.push_back({begin, end, in_tiles});
        begin = end;
    }
}

bool Tiles::edges(const Group& group, const Observed& block,
                  std::vector<std::int64_t>& edges) const {
    const std::size_t rows = group.rows.size();
    const std::size_t count = tiles_of(block);
    edges.clear();
    for (const std::size_t row : group.rows) edges.push_back(block.start(row));
    const std::int32_t* const columns = block.columns();
    std::size_t last = 0;  // where the last tile's edges begin
    for (std::size_t tile = 1; group.tiled && tile < count; ++tile) {
        const auto begin = static_cast<std::int32_t>(tile * tile_);
        edges.resize(last + rows);
        std::size_t held = 0;
        for (std::size_t r = 0; r < rows; ++r) {
            const std::int32_t* const from = columns + edges[last + r];
            const std::int32_t* const to = columns + block.start(group.rows[r] + 1);
            const std::int32_t* const edge = std::lower_bound(from, to, begin);
            held += static_cast<std::size_t>(edge - from);
            edges.push_back(edge - columns);
        }
        if (held >= rows * kShare) last += rows;
    }
    edges.resize(last + rows);
    for (const std::size_t row : group.rows) edges.push_back(block.start(row + 1));
    if (!group.tiled) return observed_.size(group.rows[0]) > 2 * tile_;
    return count > kHeld * (last / rows + 1);
}

std::size_t Tiles::padded(const Group& group, const std::vector<std::int64_t>& edges) {
    const std::size_t rows = group.rows.size();
    std::size_t sum = 0;
    for (std::size_t edge = 0; edge + rows < edges.size(); ++edge)
        sum += static_cast<std::size_t>(edges[edge + rows] - edges[edge]) + kBlock - 1;
    return sum / kBlock * kBlock + kBlock;
}

}  // namespace firth
