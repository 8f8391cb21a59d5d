// The values of a low-rank model at the stored cells of a sparse matrix.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gathered.hpp"
#include "parallel.hpp"

namespace firth {

// Two factors of `stride` floats a row, a multiple of kRowFloats.
struct Factors {
    const float* left;
    const float* right;
    std::size_t stride;
};

// values[at] = left_i · right_j for every cell of rows `begin` to `end`, counted from the first
// cell of row `begin`. The cells must be sound.
void model_values(const std::int64_t* starts, const std::int32_t* columns, std::size_t begin,
                  std::size_t end, const Factors& factors, float* values, Simd simd,
                  unsigned threads, const Poll& poll);

}  // namespace firth
