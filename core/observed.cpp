#include "observed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "clones.hpp"
#include "exponential.hpp"
#include "single.hpp"

namespace firth {
namespace {

constexpr std::size_t kBlockRows = 128;

using Piece = std::array<double, kPiece>;
using FloatPiece = std::array<float, kPiece>;

template <class Value, class Number>
__attribute__((always_inline)) inline void scale_units(const void* values, std::int64_t first,
                                                       std::size_t count, double per_unit,
                                                       Number* x) {
    const Value* const units = static_cast<const Value*>(values) + first;
    const auto factor = static_cast<Number>(per_unit);
    for (std::size_t k = 0; k < count; ++k) x[k] = static_cast<Number>(units[k]) * factor;
}

// Counts of a piece of a row; ones beyond it up to a multiple of sixteen.
template <class Number>
__attribute__((always_inline)) inline void counts_of(const CountRows& counts, std::int64_t first,
                                                     std::size_t count, double per_unit,
                                                     Number* x) {
    if (counts.wide) {
        scale_units<std::uint64_t>(counts.values, first, count, per_unit, x);
    } else {
        scale_units<std::uint32_t>(counts.values, first, count, per_unit, x);
    }
    for (std::size_t k = count; k % kSixteen != 0; ++k) x[k] = 1;
}

// x^power in place of x.
__attribute__((always_inline)) inline void raise(double* x, std::size_t count, double power) {
    if (power == 1.0) return;
    if (power == 0.5) {
        for (std::size_t k = 0; k < count; ++k) x[k] = std::sqrt(x[k]);
        return;
    }
    for (std::size_t k = 0; k < count; k += kEight) {
        const Eight raised = power_eight(load_eight(x + k), power);
        std::memcpy(x + k, &raised, sizeof raised);
    }
}

// The logarithms of 1 + x · of_row · of_column.
__attribute__((always_inline)) inline void targets_of(const float* x, const std::int32_t* columns,
                                                      std::size_t count, float of_row,
                                                      const float* of_column, float* targets) {
    alignas(64) FloatPiece factors;
    for (std::size_t k = 0; k < count; ++k) factors[k] = of_column[columns[k]];
    for (std::size_t k = count; k % kSixteen != 0; ++k) factors[k] = 0.0F;
    for (std::size_t k = 0; k < count; k += kSixteen) {
        const Sixteen ratio = load_sixteen(x + k) * (load_sixteen(factors.data() + k) * of_row);
        const Sixteen target = log1p_sixteen(ratio);
        std::memcpy(factors.data() + k, &target, sizeof target);
    }
    std::copy_n(factors.data(), count, targets);
}

FIRTH_CLONES void weigh_cells(const CountRows& counts, std::int64_t first, std::size_t count,
                              double per_unit, double power, double of_row, const float* of_column,
                              float* weights, float* targets) {
    alignas(64) FloatPiece x;
    counts_of(counts, first, count, per_unit, x.data());
    targets_of(x.data(), counts.columns + first, count, static_cast<float>(of_row), of_column,
               targets);
    if (power == 0.5) {
        for (std::size_t k = 0; k < count; ++k) weights[k] = std::sqrt(x[k]);
        return;
    }
    alignas(64) Piece raised;
    counts_of(counts, first, count, per_unit, raised.data());
    raise(raised.data(), count, power);
    for (std::size_t k = 0; k < count; ++k) weights[k] = static_cast<float>(raised[k]);
}

// The sum over a piece, eight sums at a time.
FIRTH_CLONES double sum_of_powers(const CountRows& counts, std::int64_t first, std::size_t count,
                                  double per_unit, double power) {
    alignas(64) Piece x;
    counts_of(counts, first, count, per_unit, x.data());
    raise(x.data(), count, power);
    for (std::size_t k = count; k % kEight != 0; ++k) x[k] = 0.0;
    Eight sums = {};
    for (std::size_t k = 0; k < count; k += kEight) sums += load_eight(x.data() + k);
    double sum = 0;
    for (std::size_t k = 0; k < kEight; ++k) sum += sums[k];
    return sum;
}

}  // namespace

ObservedCounts::ObservedCounts(const CountRows& counts, double scale, double power,
                               const double* of_row, const float* of_column)
    : Observed(counts.starts, counts.columns, counts.rows, counts.width),
      counts_(counts),
      per_unit_(1.0 / scale),
      power_(power),
      of_row_(of_row),
      of_column_(of_column) {}

void ObservedCounts::cells(std::size_t row, std::int64_t first, std::size_t count, float* weights,
                           float* targets) const {
    weigh_cells(counts_, first, count, per_unit_, power_, of_row_[row], of_column_, weights,
                targets);
}

void ObservedCounts::weight_sums(double* sums, unsigned threads, const Poll& poll) const {
    const std::size_t blocks = (counts_.rows + kBlockRows - 1) / kBlockRows;
    const auto add_rows = [&](std::size_t block, unsigned, Loop&) {
        const std::size_t last = std::min(counts_.rows, (block + 1) * kBlockRows);
        for (std::size_t row = block * kBlockRows; row < last; ++row) {
            double sum = 0;
            const std::int64_t end = counts_.starts[row + 1];
            for (std::int64_t at = counts_.starts[row]; at < end; at += kPiece) {
                const auto count = std::min<std::size_t>(kPiece, end - at);
                sum += sum_of_powers(counts_, at, count, per_unit_, power_);
            }
            sums[row] = sum;
        }
    };
    parallel_for(blocks, threads, add_rows, poll);
}

void ObservedValues::cells(std::size_t /*row*/, std::int64_t first, std::size_t count,
                           float* weights, float* targets) const {
    std::copy_n(targets_ + first, count, targets);
    if (weights_ == nullptr) {
        std::fill_n(weights, count, 1.0F);
    } else {
        std::copy_n(weights_ + first, count, weights);
    }
}

}  // namespace firth
