// Products of a sparse matrix of compressed float rows with a dense panel, and its transpose.
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

// Columns of a dense panel: one AVX-512 register, so that a row of the result stays in a register
// and the rows of frequent words, which come first, stay in cache.
inline constexpr std::size_t kPanel = 16;

// y = a x, where x has `a.width` rows and y `a.rows` rows of kPanel floats. Every row of y is
// summed by one thread in the order of its columns, so the result does not depend on threads.
void multiply(const SparseRows& a, const float* x, float* y, unsigned threads);

// y = aᵀ x, without building the transpose: x has `a.rows` rows and y `a.width`. Each thread keeps
// whole quarters of the panel to itself, so that more than four are of no use.
void multiply_transposed(const SparseRows& a, const float* x, float* y, unsigned threads);

// Whether a matrix is its own transpose, to the last bit of every value.
bool symmetric(const SparseRows& a, unsigned threads);

// The values of the transpose, if it has its nonzeros in the same places: then its starts and
// columns need not be made, nor the memory for them. Returns false, with `values` spoilt, if it has
// not.
bool transpose_values(const SparseRows& a, float* values, unsigned threads);

// The transpose in compressed rows; the arrays have room for a.width + 1, and a's nonzeros.
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
