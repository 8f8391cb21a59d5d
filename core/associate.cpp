#include "associate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "clones.hpp"
#include "logarithm.hpp"
#include "ties.hpp"

namespace firth {
namespace {

constexpr std::size_t kBlockRows = 128;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kTable = 1 << 14;  // smaller counts, which are most, are looked up

double transformed(const Association& a, double x) {
    const bool logarithm = a.kind == Association::Scale::logarithm;
    switch (a.transform) {
        case Association::Transform::log1p:
            x = std::log1p(x);
            break;
        case Association::Transform::log:
            x = std::log(x);
            break;
        case Association::Transform::power:
            if (logarithm) return a.exponent * std::log(x);
            if (a.exponent == 0.5) return std::sqrt(x);
            return a.exponent == 1.0 ? x : std::pow(x, a.exponent);
    }
    return logarithm ? std::log(x) : x;
}

double raised(double value, double power) {
    if (power == 1.0) return value;
    const double magnitude =
        power == 0.5 ? std::sqrt(std::abs(value)) : std::pow(std::abs(value), power);
    return std::copysign(magnitude, value);
}

// Returns a sum of logarithms, or zero where its terms cancel up to rounding. Otherwise, a cell of
// independent words would be stored on one machine and not on another.
double without_rounding(double sum) {
    constexpr double kLongest = 64;  // no logarithm of a sum of counts is larger
    return std::abs(sum) <= kRounding * kLongest ? 0.0 : sum;
}

// Computes a cell from its transformed count and the factors of its row and column. The factors are
// combined first, so that symmetric counts with equal row and column factors give cells that are
// symmetric to the last bit.
double weighed(const Association& a, double x, double of_row, double of_column) {
    switch (a.kind) {
        case Association::Scale::logarithm:  // an infinite factor removes its row or column
            if (std::isinf(of_row) || std::isinf(of_column)) return -kInfinity;
            return without_rounding(x + (of_row + of_column)) * a.unit;
        case Association::Scale::soft:
            return std::log1p(x * (of_row * of_column)) * a.unit;
        case Association::Scale::product:
            break;
    }
    return x * (of_row * of_column);
}

// Writes one block of rows, starting where its counts start; columns only if `out` has room for
// them. Returns the number of cells kept, and stores the number kept of each row in `out.starts`.
std::size_t weigh_rows(const CountRows& counts, const Association& a,
                       const std::vector<double>& table, std::size_t first, std::size_t last,
                       FloatRows& out) {
    const auto begin = static_cast<std::size_t>(counts.starts[first]);
    std::size_t at = begin;
    const bool columns = !out.columns.empty();
    for (std::size_t row = first; row < last; ++row) {
        const std::size_t row_begin = at;
        for (std::int64_t i = counts.starts[row]; i < counts.starts[row + 1]; ++i) {
            const std::uint64_t units = counts.value(i);
            const std::int32_t column = counts.columns[i];
            const double x = units < kTable ? table[units]
                                            : transformed(a, static_cast<double>(units) / a.scale);
            const double value = weighed(a, x, a.of_row[row], a.of_column[column]);
            // Compared as float32, as it is stored, so that a threshold can equal a stored value.
            if (!(static_cast<float>(value) > a.threshold) && value == value) continue;
            const auto result = static_cast<float>(raised(value, a.power));
            if (!std::isfinite(result))
                throw std::domain_error(std::to_string(row) + " " + std::to_string(column));
            if (result == 0.0F) continue;
            if (columns) out.columns[at] = column;
            out.values[at] = result;
            ++at;
        }
        out.starts[row + 1] = static_cast<std::int64_t>(at - row_begin);
    }
    return at - begin;
}

// Computes rows of the soft scale without transform or power, eight cells at a time. Returns false
// if a value is zero or not finite; `weigh_rows` handles those.
FIRTH_CLONES bool soft_rows(const CountRows& counts, const Association& a, std::size_t first,
                            std::size_t last, FloatRows& out) {
    bool fine = true;
    const double per_unit = 1.0 / a.scale;
    for (std::size_t row = first; row < last; ++row) {
        const double of_row = a.of_row[row];
        const std::int64_t end = counts.starts[row + 1];
        out.starts[row + 1] = end - counts.starts[row];
        for (std::int64_t i = counts.starts[row]; i < end; i += kEight) {
            const std::int64_t n = std::min<std::int64_t>(end - i, kEight);
            double ratios[kEight] = {};
            for (std::int64_t k = 0; k < n; ++k)
                ratios[k] = static_cast<double>(counts.value(i + k)) *
                            (of_row * a.of_column[counts.columns[i + k]]) * per_unit;
            const Eight found = log1p_eight(load_eight(ratios)) * a.unit;
            for (std::int64_t k = 0; k < n; ++k) {
                const auto value = static_cast<float>(found[k]);
                out.values[static_cast<std::size_t>(i + k)] = value;
                fine = fine && value > 0 && value <= std::numeric_limits<float>::max() &&
                       ratios[k] <= std::numeric_limits<float>::max();
            }
        }
    }
    return fine;
}

// Closes the gaps between the blocks, each of which was written where its counts start.
void close_up(const CountRows& counts, const std::vector<std::size_t>& kept, FloatRows& out) {
    std::size_t at = 0;
    for (std::size_t block = 0; block < kept.size(); ++block) {
        if (kept[block] == 0) continue;  // memmove must not get an empty matrix's null pointer
        const auto from = static_cast<std::size_t>(counts.starts[block * kBlockRows]);
        std::memmove(out.columns.data() + at, out.columns.data() + from, kept[block] * 4);
        std::memmove(out.values.data() + at, out.values.data() + from, kept[block] * 4);
        at += kept[block];
    }
    out.columns.shrink(at);
    out.values.shrink(at);
}

}  // namespace

FloatRows associate(const CountRows& counts, const Association& a, unsigned threads,
                    const Poll& poll) {
    const auto size = static_cast<std::size_t>(counts.starts[counts.rows]);
    std::vector<double> table(kTable, 0.0);
    for (std::uint64_t units = 1; units < kTable; ++units)
        table[units] = transformed(a, static_cast<double>(units) / a.scale);
    FloatRows out{Pages<std::int64_t>(counts.rows + 1), {}, Pages<float>(size), false};
    const std::size_t blocks = (counts.rows + kBlockRows - 1) / kBlockRows;
    std::vector<std::size_t> kept(blocks, 0);
    const bool soft = a.kind == Association::Scale::soft && a.power == 1.0 &&
                      a.transform == Association::Transform::power && a.exponent == 1.0;
    const auto weigh = [&] {
        parallel_for(
            blocks, threads,
            [&](std::size_t block, unsigned, Loop&) {
                const std::size_t first = block * kBlockRows;
                const std::size_t last = std::min(counts.rows, first + kBlockRows);
                const bool quick = soft && out.columns.empty();
                if (quick && soft_rows(counts, a, first, last, out)) {
                    kept[block] =
                        static_cast<std::size_t>(counts.starts[last] - counts.starts[first]);
                } else {
                    kept[block] = weigh_rows(counts, a, table, first, last, out);
                }
            },
            poll);
        return std::accumulate(kept.begin(), kept.end(), std::size_t{0});
    };
    // Without a threshold, every cell is kept unless it underflows to zero, so the columns are
    // those of the counts.
    out.same_columns = std::isinf(a.threshold) && weigh() == size;
    if (!out.same_columns) {
        out.columns = Pages<std::int32_t>(size);
        weigh();
        close_up(counts, kept, out);
    }
    out.starts[0] = 0;
    for (std::size_t row = 0; row < counts.rows; ++row) out.starts[row + 1] += out.starts[row];
    return out;
}

void marginals(const CountRows& counts, std::int64_t* of_rows, std::int64_t* of_columns,
               unsigned threads) {
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    // One slice of rows per thread. The sums are of integers, so they do not depend on the slices.
    const std::size_t slices = std::clamp<std::size_t>(threads, 1, counts.rows + 1);
    std::vector<std::vector<std::uint64_t>> sums(slices);
    parallel_for(slices, threads, [&](std::size_t slice, unsigned, Loop&) {
        auto& columns = sums[slice];
        columns.assign(counts.width, 0);
        const std::size_t last = counts.rows * (slice + 1) / slices;
        for (std::size_t row = counts.rows * slice / slices; row < last; ++row) {
            std::uint64_t sum = 0;
            for (std::int64_t i = counts.starts[row]; i < counts.starts[row + 1]; ++i) {
                const std::uint64_t value = counts.value(i);
                std::uint64_t& column = columns[static_cast<std::size_t>(counts.columns[i])];
                if (__builtin_add_overflow(sum, value, &sum) || sum > kLargest ||
                    __builtin_add_overflow(column, value, &column) || column > kLargest)
                    throw std::overflow_error("a sum of counts passes 2^63 units");
            }
            of_rows[row] = static_cast<std::int64_t>(sum);
        }
    });
    for (std::size_t column = 0; column < counts.width; ++column) {
        std::uint64_t sum = 0;
        for (const auto& columns : sums)
            if (__builtin_add_overflow(sum, columns[column], &sum) || sum > kLargest)
                throw std::overflow_error("a sum of counts passes 2^63 units");
        of_columns[column] = static_cast<std::int64_t>(sum);
    }
}

}  // namespace firth
