#include "background.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "clones.hpp"
#include "pages.hpp"

namespace firth {
namespace {

// Sums that go on side by side, so that an addition need not wait for the one before it.
constexpr std::size_t kLanes = 8;
// Rows in one piece of work.
constexpr std::size_t kRows = kSanitized ? 4 : 256;

FIRTH_CLONES double length(const float* values, std::size_t size) {
    std::array<double, kLanes> sums{};
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double value = values[i + lane];
            sums[lane] += value * value;
        }
    double sum = 0;
    for (; i < size; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    for (const double lane : sums) sum += lane;
    return std::sqrt(sum);
}

}  // namespace

void row_lengths(const SparseRows& a, double* lengths, unsigned threads) {
    const std::size_t blocks = (a.rows + kRows - 1) / kRows;
    parallel_for(blocks, threads, [&](std::size_t block, unsigned, Loop&) {
        const std::size_t last = std::min(a.rows, (block + 1) * kRows);
        for (std::size_t row = block * kRows; row < last; ++row)
            lengths[row] = length(a.values + a.starts[row],
                                  static_cast<std::size_t>(a.starts[row + 1] - a.starts[row]));
    });
}

void unit_means(const SparseRows& a, const double* lengths, const std::int64_t* order,
                const std::int64_t* groups, std::size_t count, float* means, unsigned threads) {
    parallel_for(count, threads, [&](std::size_t group, unsigned, Loop& loop) {
        std::vector<double> sums(a.width, 0.0);
        for (std::int64_t i = groups[group]; i < groups[group + 1] && !loop.cancelled(); ++i) {
            const std::int64_t begin = a.starts[order[i]];
            const std::int64_t end = a.starts[order[i] + 1];
            const double norm = lengths[order[i]];
            if (!(norm > 0)) continue;
            const double scale = 1 / norm;
            for (std::int64_t cell = begin; cell < end; ++cell)
                sums[static_cast<std::size_t>(a.columns[cell])] += scale * a.values[cell];
        }
        const auto size = static_cast<double>(groups[group + 1] - groups[group]);
        float* out = means + group * a.width;
        for (std::size_t column = 0; column < a.width; ++column)
            out[column] = static_cast<float>(size > 0 ? sums[column] / size : 0.0);
    });
}

}  // namespace firth
