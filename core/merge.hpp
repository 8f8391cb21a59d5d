// Sums of count matrices, row range by row range, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rows.hpp"

namespace firth {

// One matrix to add: compressed rows that lie in memory, or in files where the pointers are null.
struct Source {
    const std::int64_t* starts = nullptr;
    const std::int32_t* columns = nullptr;
    const void* values = nullptr;
    int starts_file = -1;
    int columns_file = -1;
    int values_file = -1;
    std::size_t offset = 0;                   // where data begins in each file
    bool wide = false;                        // values are uint64, else uint32
    std::size_t rows = 0;                     // of this source
    std::size_t width = 0;                    // columns of this source
    std::int64_t size = 0;                    // nonzeros of this source
    const std::int64_t* row_of = nullptr;     // this source's row for each row of the sum, -1 none
    const std::int32_t* column_to = nullptr;  // the sum's column for each of this source's
};

// Adds `sources` into `rows` rows of `columns` columns. Throws std::overflow_error if a sum would
// pass `limit`, and std::invalid_argument if a source is not what it says it is. Of a source in
// files, `batch` entries are read at a time.
void merge_rows(const std::vector<Source>& sources, std::size_t rows, std::size_t columns,
                std::uint64_t limit, std::size_t batch, RowSink& sink, unsigned threads,
                const Poll& poll);

// Whether the starts of `rows` rows rise from 0 to `size`, and each row's columns rise below
// `width`.
bool sound_rows(const std::int64_t* starts, std::size_t rows, const std::int32_t* columns,
                std::int64_t size, std::int64_t width, unsigned threads);

}  // namespace firth
