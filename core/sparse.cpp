#include "sparse.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

#include "clones.hpp"
#include "mixing.hpp"
#include "pages.hpp"

namespace firth {
namespace {

// One row of a panel, in one or more registers.
using Panel = float __attribute__((vector_size(kPanel * sizeof(float))));

// Nonzeros in one piece of work.
constexpr std::int64_t kPiece = kSanitized ? 8 : 1 << 17;

std::vector<std::size_t> cut(const SparseRows& a) {
    std::vector<std::size_t> edges{0};
    for (std::size_t row = 0; row < a.rows; ++row)
        if (a.starts[row + 1] - a.starts[edges.back()] >= kPiece && row + 1 < a.rows)
            edges.push_back(row + 1);
    edges.push_back(a.rows);
    return edges;
}

inline Panel row_of(const float* x, std::int32_t column) {
    Panel row;
    std::memcpy(&row, x + static_cast<std::size_t>(column) * kPanel, sizeof row);
    return row;
}

// Computes four sums at a time, because each addition waits for the one before it. The place of a
// nonzero in its row alone decides which sum it is added to.
FIRTH_CLONES void multiply_rows(const SparseRows& a, const float* x, float* y, std::size_t first,
                                std::size_t last) {
    const std::int64_t* const starts = a.starts;
    const std::int32_t* const columns = a.columns;
    const float* const values = a.values;
    for (std::size_t row = first; row < last; ++row) {
        Panel one = {};
        Panel two = {};
        Panel three = {};
        Panel four = {};
        const std::int64_t end = starts[row + 1];
        std::int64_t i = starts[row];
        for (; i + 4 <= end; i += 4) {
            one += values[i] * row_of(x, columns[i]);
            two += values[i + 1] * row_of(x, columns[i + 1]);
            three += values[i + 2] * row_of(x, columns[i + 2]);
            four += values[i + 3] * row_of(x, columns[i + 3]);
        }
        for (; i < end; ++i) one += values[i] * row_of(x, columns[i]);
        const Panel sum = (one + two) + (three + four);
        std::memcpy(y + row * kPanel, &sum, sizeof sum);
    }
}

// A quarter of a row of a panel. All quarters are computed by the same instructions, so the result
// does not depend on which thread computes which. A loop over single columns would be rounded
// differently, depending on how the compiler vectorises it.
constexpr std::size_t kQuarter = kPanel / 4;
using Quarter = float __attribute__((vector_size(kQuarter * sizeof(float))));

// Computes quarters [first, last) of the panel.
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

// For each slice of rows and each column: the place, in the transpose, of the slice's next nonzero.
class Places {
  public:
    Places(const SparseRows& a, unsigned threads) : a_(a), size_(a.starts[a.rows]) {
        // A histogram has an entry per column, so matrices with few nonzeros are cut into fewer
        // slices.
        const std::size_t most =
            std::max<std::int64_t>(1, size_ / static_cast<std::int64_t>(a.width + 1));
        at_.resize(std::clamp<std::size_t>(threads, 1, most));
        parallel_for(at_.size(), threads, [&](std::size_t slice, unsigned, Loop&) {
            at_[slice].assign(a.width, 0);
            for (std::int64_t i = a.starts[edge(slice)]; i < a.starts[edge(slice + 1)]; ++i)
                ++at_[slice][static_cast<std::size_t>(a.columns[i])];
        });
        total_ = 0;
        for (std::size_t column = 0; column < a.width; ++column) {
            starts_.push_back(total_);
            for (auto& histogram : at_) {
                const std::int64_t count = histogram[column];
                histogram[column] = total_;
                total_ += count;
            }
        }
        starts_.push_back(total_);
    }

    const std::vector<std::int64_t>& starts() const { return starts_; }

    // Calls put(row, nonzero, place) for every nonzero, each slice in order.
    template <class Put>
    void each(unsigned threads, const Put& put) {
        parallel_for(at_.size(), threads, [&](std::size_t slice, unsigned, Loop&) {
            auto& next = at_[slice];
            for (std::size_t row = edge(slice); row < edge(slice + 1); ++row)
                for (std::int64_t i = a_.starts[row]; i < a_.starts[row + 1]; ++i)
                    put(row, i, next[static_cast<std::size_t>(a_.columns[i])]++);
        });
    }

  private:
    std::size_t edge(std::size_t slice) const {
        if (slice == at_.size()) return a_.rows;
        const auto target =
            size_ * static_cast<std::int64_t>(slice) / static_cast<std::int64_t>(at_.size());
        return static_cast<std::size_t>(std::lower_bound(a_.starts, a_.starts + a_.rows, target) -
                                        a_.starts);
    }

    const SparseRows& a_;
    std::int64_t size_;
    std::int64_t total_ = 0;
    std::vector<std::vector<std::int64_t>> at_;
    std::vector<std::int64_t> starts_;
};

// Whether a square table t of integers, t(i) at the i-th nonzero, is its own transpose. If so, the
// sum of t_ij (p_i q_j - p_j q_i), modulo 2^64, is 0 for any p and q. Otherwise, for random p and
// q, it is 0 about once in 2^60 times, unless all differences are multiples of large powers of two.
template <class Table>
bool mirrored(const SparseRows& a, const Table& table, unsigned threads) {
    if (a.rows != a.width) return false;
    std::vector<std::array<std::uint64_t, 2>> keys(a.rows);
    for (std::size_t row = 0; row < a.rows; ++row)
        keys[row] = {mixed(2 * row + 1), mixed(2 * row + 2)};
    const std::vector<std::size_t> edges = cut(a);
    std::atomic<std::uint64_t> difference{0};
    parallel_for(edges.size() - 1, threads, [&](std::size_t piece, unsigned, Loop&) {
        std::uint64_t sum = 0;
        for (std::size_t row = edges[piece]; row < edges[piece + 1]; ++row) {
            std::uint64_t p = 0;
            std::uint64_t q = 0;
            for (std::int64_t i = a.starts[row]; i < a.starts[row + 1]; ++i) {
                const auto& key = keys[static_cast<std::size_t>(a.columns[i])];
                const std::uint64_t value = table(i);
                p += value * key[0];
                q += value * key[1];
            }
            sum += keys[row][0] * q - keys[row][1] * p;
        }
        difference += sum;
    });
    return difference == 0;
}

template <class Number>
void copy_number(const Table& table, std::int64_t from, std::int64_t to) {
    static_cast<Number*>(table.to)[to] = static_cast<const Number*>(table.from)[from];
}

void copy_cell(const std::vector<Table>& tables, std::int64_t from, std::int64_t to) {
    for (const Table& table : tables) {
        if (table.bytes == 4) {
            copy_number<std::uint32_t>(table, from, to);
        } else {
            copy_number<std::uint64_t>(table, from, to);
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

bool symmetric(const SparseRows& a, unsigned threads) {
    // Hashed, because the bits of round numbers and of signs differ by large powers of two.
    const auto bits = [&](std::int64_t i) {
        return mixed(std::uint64_t{1} + std::bit_cast<std::uint32_t>(a.values[i]));
    };
    return mirrored(a, bits, threads);
}

bool transpose_values(const SparseRows& a, float* values, unsigned threads) {
    if (!mirrored(a, [](std::int64_t) { return std::uint64_t{1}; }, threads)) return false;
    Places places(a, threads);
    if (!std::equal(places.starts().begin(), places.starts().end(), a.starts)) return false;
    places.each(threads, [&](std::size_t, std::int64_t from, std::int64_t to) {
        values[to] = a.values[from];
    });
    return true;
}

void transpose(const SparseRows& a, std::int64_t* starts, std::int32_t* columns, float* values,
               unsigned threads) {
    Places places(a, threads);
    std::copy(places.starts().begin(), places.starts().end(), starts);
    places.each(threads, [&](std::size_t row, std::int64_t from, std::int64_t to) {
        columns[to] = static_cast<std::int32_t>(row);
        values[to] = a.values[from];
    });
}

void transpose(const SparseRows& places, const std::vector<Table>& tables, std::int64_t* starts,
               std::int32_t* columns, unsigned threads) {
    Places all(places, threads);
    std::copy(all.starts().begin(), all.starts().end(), starts);
    all.each(threads, [&](std::size_t row, std::int64_t from, std::int64_t to) {
        columns[to] = static_cast<std::int32_t>(row);
        copy_cell(tables, from, to);
    });
}

}  // namespace firth
