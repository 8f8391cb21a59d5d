// Losses of mutual information in Brown's clustering, one row of pairs of clusters at a time.
//
// Let f(x) = x ln x, let n(v, x) be the bigram counts of clusters, and A(v) = Σ_x n(v, x) + n(x,
// v). Up to a constant, the clustering maximises Σ f(n(v, x)) - Σ A(v) ln n(v). Merging v and w
// therefore loses
//     joint(v, w) + (A(v) + A(w)) ln(n(v) + n(w)) - A(v) ln n(v) - A(w) ln n(w),
//     joint(v, w) = Σ_x f(n(v, x)) + f(n(w, x)) - f(n(v, x) + n(w, x)), and the same for n(x, ·),
// where the four counts among v and w themselves form one term. A change of one cluster x changes
// only the terms of x in joint(v, w): six logarithms for a merge, two for a word that enters.
#pragma once

#include <cstddef>
#include <vector>

namespace firth {

inline constexpr std::size_t kChunk = 64;  // columns of a new row that are computed at a time

using Row = std::vector<double>;

// The counts of a cluster x: n(v, x) and n(x, v) for every v.
struct Beside {
    Row to;
    Row from;
};

// Returns the first column of each group of eight in which a cluster has a count, on either side.
std::vector<std::size_t> eights_of(const Beside& x);

// Updates joint(v, w) for all w below v after s and t were merged into u. Where s has no count with
// v or w, the terms of t and u cancel. So only the groups of eight of s are visited, or all of them
// for a v that has a count with s. The update is symmetric in s and t: pass the one with fewer
// counts as s.
void merge_row(double* joint, std::size_t v, const Beside& s, const Beside& t, const Beside& u,
               const Row& alone, const std::vector<std::size_t>& eights);

// Updates joint(v, w) after a word z entered, for a v that has a count with z; other rows do not
// change.
void enter_row(double* joint, std::size_t v, const Beside& z, const Row& alone,
               const std::vector<std::size_t>& eights);

// Computes the losses of row v and returns the smallest; stores them in `out` unless it is null.
// `own` is A ln n of each cluster, -∞ where there is none.
double lose_row(const double* joint, const double* logs, std::size_t size, const Row& sums,
                double sum_v, const Row& own, double own_v, double* out);

// joint += f(a) + f(b) - f(a + b), over a chunk of columns.
void add_terms(double* joint, double a, double f_of_a, const double* b);

void x_log_x_all(const double* x, double* out, std::size_t size);

}  // namespace firth
