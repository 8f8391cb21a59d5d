// Weights counts as association, in one pass over the nonzeros and without temporaries of matrix
// size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pages.hpp"
#include "parallel.hpp"

namespace firth {

// A count matrix in compressed rows. Values are in units, as uint64 if `wide`, else uint32.
struct CountRows {
    const std::int64_t* starts;
    const std::int32_t* columns;
    const void* values;
    bool wide;
    std::size_t rows;
    std::size_t width;

    std::uint64_t value(std::int64_t i) const noexcept {
        return wide ? static_cast<const std::uint64_t*>(values)[i]
                    : static_cast<const std::uint32_t*>(values)[i];
    }
};

// How a count x = units / scale in row w and column c is weighted. With t the transform:
//     product:    t(x) * of_row[w] * of_column[c]
//     logarithm:  (log t(x) + of_row[w] + of_column[c]) * unit
//     soft:       log(1 + t(x) * of_row[w] * of_column[c]) * unit
// Values above `threshold` are kept; their magnitude is raised to `power`.
struct Association {
    enum class Transform : std::uint8_t { power, log1p, log };
    enum class Scale : std::uint8_t { product, logarithm, soft };
    Transform transform = Transform::power;
    double exponent = 1.0;  // of the power transform
    Scale kind = Scale::product;
    double unit = 1.0;
    double threshold = 0.0;
    double power = 1.0;
    double scale = 1.0;
    const double* of_row = nullptr;
    const double* of_column = nullptr;
};

struct FloatRows {
    Pages<std::int64_t> starts;
    Pages<std::int32_t> columns;
    Pages<float> values;
    bool same_columns = false;  // the columns are those of the counts and are not stored
};

// Returns the association matrix of `counts`. Throws std::domain_error with the row and column of a
// value that is not finite.
FloatRows associate(const CountRows& counts, const Association& association, unsigned threads,
                    const Poll& poll);

// Computes the exact sums of rows and of columns, in units. Throws std::overflow_error past 2^63.
void marginals(const CountRows& counts, std::int64_t* of_rows, std::int64_t* of_columns,
               unsigned threads);

}  // namespace firth
