#include "sparse.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "clones.hpp"

namespace firth {
namespace {

// One row of a panel, in as many registers as the machine needs for it.
using Panel = float __attribute__((vector_size(kPanel * sizeof(float))));

// Nonzeros in one piece of work.
constexpr std::int64_t kPiece = 1 << 17;

std::vector<std::size_t> cut(const SparseRows& a) {
    std::vector<std::size_t> edges{0};
    for (std::size_t row = 0; row < a.rows; ++row)
        if (a.starts[row + 1] - a.starts[edges.back()] >= kPiece && row + 1 < a.rows)
            edges.push_back(row + 1);
    edges.push_back(a.rows);
    return edges;
}

FIRTH_CLONES void multiply_rows(const SparseRows& a, const float* x, float* y, std::size_t first,
                                std::size_t last) {
    const std::int64_t* const starts = a.starts;
    const std::int32_t* const columns = a.columns;
    const float* const values = a.values;
    for (std::size_t row = first; row < last; ++row) {
        Panel sum = {};
        const std::int64_t end = starts[row + 1];
        for (std::int64_t i = starts[row]; i < end; ++i) {
            Panel from;
            std::memcpy(&from, x + static_cast<std::size_t>(columns[i]) * kPanel, sizeof from);
            sum += values[i] * from;
        }
        std::memcpy(y + row * kPanel, &sum, sizeof sum);
    }
}

// A quarter of a panel's row. Each quarter goes through the same instructions, whoever works on it:
// a loop over single columns would be rounded as its length lets the compiler vectorise it.
constexpr std::size_t kQuarter = kPanel / 4;
using Quarter = float __attribute__((vector_size(kQuarter * sizeof(float))));

// Quarters [first, last) of the panel.
FIRTH_CLONES void scatter_quarters(const SparseRows& a, const float* x, float* y, std::size_t first,
                                   std::size_t last) {
    for (std::size_t row = 0; row < a.rows; ++row) {
        const float* from = x + row * kPanel;
        for (std::int64_t i = a.starts[row]; i < a.starts[row + 1]; ++i) {
            const float value = a.values[i];
            float* to = y + static_cast<std::size_t>(a.columns[i]) * kPanel;
            for (std::size_t k = first * kQuarter; k < last * kQuarter; k += kQuarter) {
                Quarter sum;
                Quarter term;
                std::memcpy(&sum, to + k, sizeof sum);
                std::memcpy(&term, from + k, sizeof term);
                sum += value * term;
                std::memcpy(to + k, &sum, sizeof sum);
            }
        }
    }
}

}  // namespace

void multiply(const SparseRows& a, const float* x, float* y, unsigned threads) {
    const std::vector<std::size_t> edges = cut(a);
    parallel_for(edges.size() - 1, threads, [&](std::size_t piece, unsigned, Loop&) {
        multiply_rows(a, x, y, edges[piece], edges[piece + 1]);
    });
}

void multiply_transposed(const SparseRows& a, const float* x, float* y, unsigned threads) {
    std::fill_n(y, a.width * kPanel, 0.0F);
    const std::size_t shares = std::clamp<std::size_t>(threads, 1, 4);
    parallel_for(shares, threads, [&](std::size_t share, unsigned, Loop&) {
        scatter_quarters(a, x, y, 4 * share / shares, 4 * (share + 1) / shares);
    });
}

void transpose(const SparseRows& a, std::int64_t* starts, std::int32_t* columns, float* values,
               unsigned threads) {
    const auto size = a.starts[a.rows];
    // A histogram is as long as the matrix is wide, so short matrices are cut less.
    const std::size_t most =
        std::max<std::int64_t>(1, size / static_cast<std::int64_t>(a.width + 1));
    const std::size_t slices = std::clamp<std::size_t>(threads, 1, most);
    const auto edge = [&](std::size_t slice) {
        const auto target =
            size * static_cast<std::int64_t>(slice) / static_cast<std::int64_t>(slices);
        if (slice == slices) return a.rows;
        return static_cast<std::size_t>(std::lower_bound(a.starts, a.starts + a.rows, target) -
                                        a.starts);
    };
    std::vector<std::vector<std::int64_t>> at(slices);
    parallel_for(slices, threads, [&](std::size_t slice, unsigned, Loop&) {
        at[slice].assign(a.width, 0);
        for (std::int64_t i = a.starts[edge(slice)]; i < a.starts[edge(slice + 1)]; ++i)
            ++at[slice][static_cast<std::size_t>(a.columns[i])];
    });
    std::int64_t total = 0;
    for (std::size_t column = 0; column < a.width; ++column) {
        starts[column] = total;
        for (auto& histogram : at) {
            const std::int64_t count = histogram[column];
            histogram[column] = total;
            total += count;
        }
    }
    starts[a.width] = total;
    parallel_for(slices, threads, [&](std::size_t slice, unsigned, Loop&) {
        auto& next = at[slice];
        for (std::size_t row = edge(slice); row < edge(slice + 1); ++row) {
            for (std::int64_t i = a.starts[row]; i < a.starts[row + 1]; ++i) {
                const std::int64_t to = next[static_cast<std::size_t>(a.columns[i])]++;
                columns[to] = static_cast<std::int32_t>(row);
                values[to] = a.values[i];
            }
        }
    });
}

}  // namespace firth
