// Adds count matrices, one range of rows at a time, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rows.hpp"

namespace firth {

// One matrix to add: compressed rows.
struct Source {
    const std::int64_t* starts = nullptr;
    const std::int32_t* columns = nullptr;
    const void* values = nullptr;
    bool wide = false;                     // values are uint64, else uint32
    std::size_t rows = 0;                  // of this source
    std::size_t width = 0;                 // columns of this source
    std::int64_t size = 0;                 // nonzeros of this source
    const std::int64_t* row_of = nullptr;  // this source's row for each row of the sum, -1 if none
    const std::int32_t* column_to = nullptr;  // the sum's column for each column of this source
};

// One matrix to add that has the rows and columns of the sum. One file has the packed rows; the
// other has their offsets, from byte `offset` on.
struct Run {
    int starts = -1;
    int packed = -1;
    std::size_t offset = 0;
    std::int64_t size = 0;  // bytes
};

// Adds matrices into `rows` rows of `columns` columns. Throws std::overflow_error if a sum would
// exceed `limit`, and std::invalid_argument if a matrix is malformed.
void merge_rows(const std::vector<Source>& sources, std::size_t rows, std::size_t columns,
                std::uint64_t limit, RowSink& sink, unsigned threads, const Poll& poll);

// The same for runs, reading `batch` bytes of each at a time.
void merge_runs(const std::vector<Run>& runs, std::size_t rows, std::size_t columns,
                std::uint64_t limit, std::size_t batch, RowSink& sink, unsigned threads,
                const Poll& poll);

// Whether the starts of `rows` rows go from 0 to `size` and never decrease, and the columns of each
// row increase and lie below `width`.
bool sound_rows(const std::int64_t* starts, std::size_t rows, const std::int32_t* columns,
                std::int64_t size, std::int64_t width, unsigned threads);

}  // namespace firth
