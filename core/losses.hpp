// What Brown's clustering sums: terms of all pairs of clusters, a row of pairs at a time.
//
// With f(x) = x ln x, n(v, x) counts of neighbours, A(v) = Σ_x n(v, x) + n(x, v), the sum that is
// to stay large is Σ f(n(v, x)) - Σ A(v) ln n(v), but for a constant. What a union of v and w
// loses is therefore
//     joint(v, w) + (A(v) + A(w)) ln(n(v) + n(w)) - A(v) ln n(v) - A(w) ln n(w),
//     joint(v, w) = Σ_x f(n(v, x)) + f(n(w, x)) - f(n(v, x) + n(w, x)), and the same of n(x, ·),
// the four counts among v and w themselves being one term. A change at one cluster x changes
// joint(v, w) by the terms of x alone: six logarithms for a union, two for a word that enters.
#pragma once

#include <cstddef>
#include <vector>

namespace firth {

inline constexpr std::size_t kChunk = 64;  // columns of a row that is made anew

using Row = std::vector<double>;

// A cluster's counts: n(v, x) and n(x, v) for every v.
struct Beside {
    Row to;
    Row from;
};

// The eights of columns in which a cluster has a count, on either side.
std::vector<std::size_t> eights_of(const Beside& x);

// joint(v, w) for the w below v, after s and t became u. Where s has no count with v or w, the
// terms of t and u are the same: only the eights of s need to be looked at, or all for a v that has
// a count with s. The terms of t and u being alike in s and t, s is best the one with fewer counts.
void merge_row(double* joint, std::size_t v, const Beside& s, const Beside& t, const Beside& u,
               const Row& alone, const std::vector<std::size_t>& eights);

// The same after a word z entered, for a v that has a count with z; there are no terms for others.
void enter_row(double* joint, std::size_t v, const Beside& z, const Row& alone,
               const std::vector<std::size_t>& eights);

// The losses of row v, kept if there is room for them; returns the least. `own` is A ln n of each
// cluster, -∞ for none.
double lose_row(const double* joint, const double* logs, std::size_t size, const Row& sums,
                double sum_v, const Row& own, double own_v, double* out);

// joint += f(a) + f(b) - f(a + b), over a chunk of columns.
void add_terms(double* joint, double a, double f_of_a, const double* b);

void x_log_x_all(const double* x, double* out, std::size_t size);

}  // namespace firth
