// Ward's clustering among a bounded number of active clusters: K. Stratos, D. Kim, M. Collins and
// D. Hsu (2014), A spectral algorithm for learning class-based n-gram models, figure 5.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pages.hpp"
#include "parallel.hpp"

namespace firth {

// A full binary tree: point i is node i, merge k makes node points + k out of the two nodes
// children[2k] < children[2k + 1], at costs[k].
struct Tree {
    Pages<std::int32_t> children;
    Pages<double> costs;
    std::uint64_t tightenings = 0;  // searches for the nearest cluster of one
};

// Points enter one by one. Whenever more than `active` clusters are there, the two that are
// cheapest to merge, by |a| |b| / (|a| + |b|) ‖mean(a) - mean(b)‖², become one; at the end all do.
// |a| is the sum of the weights of a's points, each from 2^-53 to 2^53, so that no cost overflows.
// `vectors` are points × width.
//
// A distance is known to kTie / 2 of the longest vector: of all pairs that may be the cheapest, the
// one with the smallest (older, younger) node is merged.
//
// Products of a cluster's mean with all others are kept: those of a merged cluster are a mean of
// those of its parts, so that only points that enter are multiplied out, in blocks and on threads.
// Kept products are rounded otherwise than direct distances. Hence all pairs that may be the
// cheapest, within a bound on that rounding, are compared by `squared_distance`.
Tree ward(const float* vectors, const double* weights, std::size_t points, std::size_t width,
          std::size_t active, unsigned threads, const Poll& poll);

}  // namespace firth
