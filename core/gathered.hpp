// Passes over the rows of a dense matrix that the nonzeros of a sparse row choose: a dot product
// with each, then, of each, its multiple added to a sum. What conjugate gradients spend their time
// on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd.hpp"

namespace firth {

// Rows are as many floats as a multiple of this, those beyond the dimensions being zero.
inline constexpr std::size_t kRowFloats = 16;

// Nonzeros of a block: arrays of one number per nonzero have room for a multiple of this, and hold
// zeros past the last.
inline constexpr std::size_t kBlock = 16;

// `count` rows of `stride` floats each.
struct Gathered {
    const float* matrix;
    std::size_t stride;
    const std::int32_t* rows;
    std::size_t count;
    bool ahead;  // whether to fetch rows before they are needed, being far away
};

// What each row v of weight w, target t and pull h brings to a residual and a loss at u.
struct Terms {
    const float* weights;
    const float* targets;
    const float* pulls;
};

// Σ e (w e + 2h), and Σ w.
struct Loss {
    double loss;
    double weight;
};

// sum += Σ (w e + h) v with e = t - v·u.
Loss add_residuals(Simd simd, const Gathered& gathered, const Terms& terms, const float* u,
                   float* sum);

// sum += Σ w (v·u) v.
void add_products(Simd simd, const Gathered& gathered, const float* weights, const float* u,
                  float* sum);

// The v·u, with room for a multiple of kBlock.
void dot_products(Simd simd, const Gathered& gathered, const float* u, float* dots);

// Σ w (v·u)².
double squared_length(Simd simd, const Gathered& gathered, const float* weights, const float* u);

}  // namespace firth
