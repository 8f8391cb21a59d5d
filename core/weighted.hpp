// Half a sweep of a weighted factorisation: the rows of one side, the other side fixed.
//
// Row u of side i minimises, by conjugate gradients from where it stands, with s_j = u·v_j + o_j,
//     Σ_seen w_ij (s_j - t_ij)² + z_i z_j ((s_j - t_ij)² - (s_j - τ)²)
//         + z_i (Σ_k g_k u_k² - 2 Σ_k b_k u_k + c)  +  λ_i Σ_k m_k u_k².
// Where Σ_j z_j v_j v_jᵀ is diagonal and g its diagonal, b = Σ_j z_j (τ - o_j) v_j and
// c = Σ_j z_j (τ - o_j)², the second line's first part is what all pairs weigh as if none were
// seen, and the first corrects it for those that are. The caller brings the other side to such a
// basis, and may add to g what else is to weigh on all pairs alike.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gathered.hpp"
#include "observed.hpp"
#include "parallel.hpp"

namespace firth {

// What all pairs weigh. Without z_j nothing that is seen is corrected.
struct Unseen {
    const double* of_row = nullptr;    // z_i
    const float* of_column = nullptr;  // z_j, or none
    const double* diagonal = nullptr;  // g_k
    const double* pull = nullptr;      // b_k
    double constant = 0.0;             // c
    float target = 0.0F;               // τ
};

struct Ridge {
    const double* of_row = nullptr;    // λ_i
    const double* diagonal = nullptr;  // m_k
};

// Rows of `stride` floats, a multiple of kRowFloats; unused coordinates are zero on both sides.
struct Side {
    const float* other;
    float* rows;
    std::size_t stride;
    const float* offsets = nullptr;  // o_j, or none
};

// How far to go: steps of conjugate gradients, and what the way that they go is multiplied by.
// Above 1 a row goes beyond the least objective that the steps lead to, on the line from where it
// stood; below 2 its objective still falls.
struct Course {
    std::size_t steps;
    double relaxation = 1.0;
};

// Solves every row. `before` and `after` get each row's objective. The result depends neither on
// threads nor on the rows beside a row.
void solve_rows(const ObservedBlocks& observed, const Side& side, const Unseen& unseen,
                const Ridge& ridge, const Course& course, double* before, double* after, Simd simd,
                unsigned threads, const Poll& poll);

}  // namespace firth
