// Stochastic gradients with adaptive rates (J. Duchi, E. Hazan and Y. Singer, 2011, Adaptive
// subgradient methods for online learning and stochastic optimization), for
//     Σ w_ij (q_i · p_j - t_ij)² + Σ λ_i |u_i|² + Σ μ_j |v_j|²
// over the stored cells of a matrix, q_i being u_i with its biases and p_j v_j with its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallel.hpp"

namespace firth {

// Rows, and columns, are dealt out to as many parts. Cells of different parts of both share no row
// of either side, and are worked on at the same time (R. Gemulla, E. Nijkamp, P. Haas and Y.
// Sismanis, 2011, Large-scale matrix factorization with distributed stochastic gradient descent).
inline constexpr std::size_t kParts = 8;

// Cells in the order in which they are drawn: those of row part r and column part c are from
// `begins[r * kParts + c]` on.
struct Draws {
    const std::int64_t* begins;
    const std::int32_t* rows;
    const std::int32_t* columns;
    const float* weights;
    const float* targets;
};

// One side: rows of `stride` floats, a multiple of 16; the sums of their squared gradients; which
// coordinates move (1, else 0); which are penalised; and λ_i over the cells of a row.
struct Descending {
    float* values;
    float* squares;
    const float* moves;
    const float* penalised;
    const float* penalty;
    std::size_t rows;
};

// Goes once through all cells, a gradient for each `batch`. Returns Σ w (q·p - t)², each cell's
// before it moved anything. The result does not depend on threads.
double adagrad_epoch(const Draws& draws, const Descending& left, const Descending& right,
                     std::size_t stride, std::size_t batch, float rate, unsigned threads,
                     const Poll& poll);

}  // namespace firth
