// Count matrices as plain maps, and the rows that a sink has stored, to compare with them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "inputs.hpp"
#include "rows.hpp"

namespace firth::fuzz {

// Row and column to value; cells of zero are left out.
using Cells = std::map<std::pair<std::size_t, std::uint32_t>, std::uint64_t>;

// An empty temporary file, which is deleted when it is closed.
class Scratch {
  public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    int file() const noexcept { return file_; }

  private:
    int file_;
};

// A sink to memory, to files or to one file of packed rows, and what it has stored.
class Rows {
  public:
    Rows(Random& random, std::size_t rows);
    RowSink& sink() noexcept { return sink_; }
    // Returns the cells, after checking that rows and columns increase and that values have the
    // right width.
    Cells cells();

  private:
    RowFiles files(Random& random);
    void unpack(std::vector<std::int32_t>& columns, std::vector<std::uint64_t>& values);

    std::vector<std::int64_t> starts_;
    std::vector<std::unique_ptr<Scratch>> scratch_;  // two for arrays, one for packed rows
    std::size_t offset_;
    RowSink sink_;
};

}  // namespace firth::fuzz
