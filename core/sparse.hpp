// Products of a sparse matrix (compressed rows of floats) with a dense panel, and its transpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel.hpp"

namespace firth {

struct SparseRows {
    const std::int64_t* starts;
    const std::int32_t* columns;
    const float* values;
    std::size_t rows;
    std::size_t width;
};

// Columns of a dense panel. One row of it fills an AVX-512 register, so that a row of the result
// stays in a register and the rows of frequent words, which come first, stay in cache.
inline constexpr std::size_t kPanel = 16;

// y = a x, where x has `a.width` rows and y `a.rows` rows of kPanel floats. Each row of y is summed
// by one thread in the order of its columns, so the result does not depend on the threads.
void multiply(const SparseRows& a, const float* x, float* y, unsigned threads);

// y = aᵀ x, without building the transpose: x has `a.rows` rows and y `a.width`. Each thread
// computes whole quarters of the panel, so more than four threads do not help.
void multiply_transposed(const SparseRows& a, const float* x, float* y, unsigned threads);

// Whether a matrix equals its transpose, to the last bit of every value.
bool symmetric(const SparseRows& a, unsigned threads);

// Computes only the values of the transpose, if it has its nonzeros in the same places, so that
// starts and columns can be shared. Otherwise returns false, and the content of `values` is
// undefined.
bool transpose_values(const SparseRows& a, float* values, unsigned threads);

// Computes the transpose in compressed rows. `starts` has room for a.width + 1 entries, `columns`
// and `values` for the nonzeros of `a`.
void transpose(const SparseRows& a, std::int64_t* starts, std::int32_t* columns, float* values,
               unsigned threads);

// A table of so many bytes for each nonzero, and its transpose.
struct Table {
    const void* from;
    void* to;
    std::size_t bytes;  // 4 or 8
};

// The transpose of several tables at once.
void transpose(const SparseRows& places, const std::vector<Table>& tables, std::int64_t* starts,
               std::int32_t* columns, unsigned threads);

}  // namespace firth
