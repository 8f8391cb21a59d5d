// The cells of a sparse matrix that a weighted factorisation sees: a weight and a target each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "associate.hpp"

namespace firth {

// Nonzeros that are looked at together, at most.
inline constexpr std::size_t kPiece = 512;

// Rows of compressed columns. The arrays belong to the caller.
class Observed {
  public:
    Observed(const std::int64_t* starts, const std::int32_t* columns, std::size_t rows,
             std::size_t width)
        : starts_(starts), columns_(columns), rows_(rows), width_(width) {}
    virtual ~Observed() = default;
    Observed(const Observed&) = delete;
    Observed& operator=(const Observed&) = delete;
    Observed(Observed&&) = delete;
    Observed& operator=(Observed&&) = delete;

    std::size_t rows() const noexcept { return rows_; }
    std::size_t width() const noexcept { return width_; }
    std::int64_t start(std::size_t row) const noexcept { return starts_[row]; }
    std::size_t size(std::size_t row) const noexcept {
        return static_cast<std::size_t>(starts_[row + 1] - starts_[row]);
    }
    const std::int32_t* columns() const noexcept { return columns_; }

    // Weights and targets of up to kPiece nonzeros of a row, from the `first` of the matrix on.
    virtual void cells(std::size_t row, std::int64_t first, std::size_t count, float* weights,
                       float* targets) const = 0;

    // Has the first piece of a row, or of part of one, brought into cache while others are worked
    // on.
    void fetch(std::int64_t first, std::int64_t end) const noexcept {
        end = end - first < static_cast<std::int64_t>(kPiece) ? end : first + kPiece;
        for (std::int64_t at = first; at < end; at += 16) {
            __builtin_prefetch(columns_ + at);
            fetch_cells(at);
        }
    }

  protected:
    // Sixteen cells' worth of whatever else is read.
    virtual void fetch_cells(std::int64_t at) const noexcept = 0;

  private:
    const std::int64_t* starts_;
    const std::int32_t* columns_;
    std::size_t rows_;
    std::size_t width_;
};

// Blocks of columns side by side, each with the same rows. The blocks must outlive this.
class ObservedBlocks {
  public:
    struct Block {
        const Observed* cells;
        std::size_t first;  // the block's first column among those of all blocks
    };

    explicit ObservedBlocks(const std::vector<const Observed*>& blocks) {
        for (const Observed* const cells : blocks) {
            blocks_.push_back({cells, width_});
            width_ += cells->width();
        }
    }

    const std::vector<Block>& blocks() const noexcept { return blocks_; }
    std::size_t rows() const noexcept { return blocks_.front().cells->rows(); }
    std::size_t width() const noexcept { return width_; }
    std::size_t size(std::size_t row) const noexcept {
        std::size_t sum = 0;
        for (const Block& block : blocks_) sum += block.cells->size(row);
        return sum;
    }

  private:
    std::vector<Block> blocks_;
    std::size_t width_ = 0;
};

// Counts x = units / scale, whose weight is x^power, and whose target is ln(1 + x a_i b_j).
class ObservedCounts final : public Observed {
  public:
    ObservedCounts(const CountRows& counts, double scale, double power, const double* of_row,
                   const float* of_column);
    void cells(std::size_t row, std::int64_t first, std::size_t count, float* weights,
               float* targets) const override;

    // The sum of each row's weights.
    void weight_sums(double* sums, unsigned threads, const Poll& poll) const;

  private:
    void fetch_cells(std::int64_t at) const noexcept override {
        const std::size_t bytes = counts_.wide ? 8 : 4;
        __builtin_prefetch(static_cast<const char*>(counts_.values) +
                           static_cast<std::size_t>(at) * bytes);
    }

    CountRows counts_;
    double per_unit_;
    double power_;
    const double* of_row_;
    const float* of_column_;
};

// Targets as they are, and weights, all of them 1 if there are none.
class ObservedValues final : public Observed {
  public:
    ObservedValues(const std::int64_t* starts, const std::int32_t* columns, std::size_t rows,
                   std::size_t width, const float* weights, const float* targets)
        : Observed(starts, columns, rows, width), weights_(weights), targets_(targets) {}
    void cells(std::size_t row, std::int64_t first, std::size_t count, float* weights,
               float* targets) const override;

  private:
    void fetch_cells(std::int64_t at) const noexcept override {
        __builtin_prefetch(targets_ + at);
        if (weights_ != nullptr) __builtin_prefetch(weights_ + at);
    }

    const float* weights_;
    const float* targets_;
};

}  // namespace firth
