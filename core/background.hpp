// The mean of rows that are scaled to length one, over groups of rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sparse.hpp"

namespace firth {

// Group g holds the rows order[groups[g]] to order[groups[g + 1] - 1]. `means` has a row of
// `a.width` floats for each of the `count` groups; an empty row counts as a row of zeros. One
// thread sums a group in the order of its rows, so the result does not depend on threads.
void unit_means(const SparseRows& a, const std::int64_t* order, const std::int64_t* groups,
                std::size_t count, float* means, unsigned threads);

}  // namespace firth
