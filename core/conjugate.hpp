// The vectors of a row's conjugate gradients: floats where kernels read them, else doubles. All are
// as long as a multiple of eight.
#pragma once

#include <cstddef>

namespace firth {

// What weighs on a row whatever is seen: the diagonal z g + λ m, and z b.
struct Prior {
    double z;
    double lambda;
    const double* spread;  // g
    const double* ridge;   // m
    const double* pull;    // b
};

// Adds the prior's part to a residual, takes it as the first direction, and returns what the prior
// weighs at u, but for the constant.
double begin_row(const Prior& prior, const float* u, double* residual, float* direction,
                 std::size_t size);

// Adds the prior's part to the product with a direction; returns the direction's length in it.
double complete_product(const Prior& prior, const float* direction, double* product,
                        std::size_t size);

// h = z z_j (t - τ) in place of z_j; returns Σ h (t - τ).
double scale_pulls(float z, float target, const float* targets, float* pulls, std::size_t size);

double inner(const float* a, const double* b, std::size_t size);
double squared(const float* a, std::size_t size);
double squared(const double* a, std::size_t size);

// to += from.
void accumulate(const float* from, double* to, std::size_t size);
// u += factor direction.
void add_multiple(double factor, const float* direction, float* u, std::size_t size);
// residual -= factor product.
void subtract_multiple(double factor, const double* product, double* residual, std::size_t size);
// direction = residual + factor direction.
void turn(double factor, const double* residual, float* direction, std::size_t size);

}  // namespace firth
