// The order in which a half sweep goes through its rows.
//
// A row's nonzeros are gone through several times, and each brings a row of the other side's
// matrix. Those of a short row stay in the core's own cache meanwhile. Long rows go through a tile
// of columns together, whose rows of the other side stay, then through the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "observed.hpp"

namespace firth {

// Rows that are solved at the same time.
struct Group {
    std::span<const std::size_t> rows;
    bool tiled;
};

class Tiles {
  public:
    Tiles(const ObservedBlocks& observed, std::size_t stride);

    // Pieces of work, the largest first.
    std::size_t groups() const noexcept { return items_.size(); }

    template <class Work>
    void each_group(std::size_t item, const Work& work) const {
        const Item& at = items_[item];
        const std::span<const std::size_t> rows(order_.data() + at.begin, at.end - at.begin);
        if (at.tiled) return work(Group{rows, true});
        for (std::size_t r = 0; r < rows.size(); ++r) work(Group{rows.subspan(r, 1), false});
    }

    // For each tile of one block, where each row of the group begins in it; at the end, where they
    // end. Returns whether the tiles are too wide for the cache.
    bool edges(const Group& group, const Observed& block, std::vector<std::int64_t>& edges) const;

    // Numbers that all pieces need room for, each up to a multiple of kBlock.
    static std::size_t padded(const Group& group, const std::vector<std::int64_t>& edges);

  private:
    std::size_t tiles_of(const Observed& block) const {
        return (block.width() + tile_ - 1) / tile_;
    }

    struct Item {
        std::size_t begin;
        std::size_t end;
        bool tiled;
    };

    const ObservedBlocks& observed_;
    std::size_t tile_;  // columns
    std::vector<std::size_t> order_;
    std::vector<Item> items_;
};

}  // namespace firth
