// The part of a sparse matrix in some rows and in the columns of the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pages.hpp"
#include "sparse.hpp"

namespace firth {

struct Slice {
    Pages<std::int64_t> starts;
    Pages<std::int32_t> columns;
    Pages<float> values;
};

// The cells of `a` whose row and column are both among `kept`, numbered by their places there.
// `kept` rises strictly and stays below a.rows and a.width. Returns false, and an undefined slice,
// if a column of one of these rows is not below a.width.
bool slice(const SparseRows& a, const std::int32_t* kept, std::size_t size, Slice& out);

}  // namespace firth
