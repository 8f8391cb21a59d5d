// Means of clusters and distances between them, rounded strictly as IEEE 754 says: no
// multiplication is fused with an addition, and sums have a fixed order. Ties must not depend on
// the machine.
#pragma once

#include <cstddef>

namespace firth {

// Entries of a mean are padded with zeros to a multiple of this.
inline constexpr std::size_t kLanes = 8;

// Σ (a_i - b_i)², as eight running sums of every eighth entry, which are then added in pairs.
double squared_distance(const double* a, const double* b, std::size_t size);

// a = (m a + n b) / (m + n), entry by entry.
void blend(double* a, double m, const double* b, double n, std::size_t size);

}  // namespace firth
