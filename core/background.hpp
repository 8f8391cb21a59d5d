// The mean of rows that are scaled to length one, over groups of rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sparse.hpp"

namespace firth {

// The length of each row.
void row_lengths(const SparseRows& a, double* lengths, unsigned threads);

// Group g holds the rows order[groups[g]] to order[groups[g + 1] - 1]. `means` has a row of
// `a.width` floats for each of the `count` groups; rows of length zero count as rows of zeros. The
// lengths are those of the rows, or of longer rows that they are parts of. One thread sums a group
// in the order of its rows, so the result does not depend on threads.
void unit_means(const SparseRows& a, const double* lengths, const std::int64_t* order,
                const std::int64_t* groups, std::size_t count, float* means, unsigned threads);

}  // namespace firth
