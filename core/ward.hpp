// Ward's clustering among a bounded number of active clusters: K. Stratos, D. Kim, M. Collins and
// D. Hsu (2014), A spectral algorithm for learning class-based n-gram models, figure 5.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pages.hpp"
#include "parallel.hpp"

namespace firth {

// A full binary tree: point i is node i, and merge k makes node points + k from the two nodes
// children[2k] < children[2k + 1], at the cost costs[k].
struct Tree {
    Pages<std::int32_t> children;
    Pages<double> costs;
    std::uint64_t tightenings = 0;  // searches for the cluster nearest to another
};

// Clusters points, which enter one by one. Whenever there are more than `active` clusters, the two
// that are cheapest to merge, by |a| |b| / (|a| + |b|) ‖mean(a) - mean(b)‖², become one; at the end
// all are merged. |a| is the sum of the weights of the points of a. Each weight is from 2^-53 to
// 2^53, so that no cost overflows. `vectors` has the shape points × width.
//
// Distances are known to within kTie / 2 of the length of the longest vector. Of all pairs that may
// be the cheapest, the one with the smallest (older, younger) node is merged.
//
// The products of each cluster's mean with all others are stored. Those of a merged cluster are a
// weighted mean of those of its parts, so only new points are multiplied out, in blocks and on
// several threads. Stored products and direct distances are rounded differently. All pairs that may
// be the cheapest, within a bound on that rounding, are therefore compared by `squared_distance`.
Tree ward(const float* vectors, const double* weights, std::size_t points, std::size_t width,
          std::size_t active, unsigned threads, const Poll& poll);

}  // namespace firth
