// Count matrices as plain maps, and what a sink was given, to compare with them.
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

// An empty temporary file, gone when it is closed.
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

// A sink to memory or to files, and what has come to lie in it.
class Rows {
  public:
    Rows(Random& random, std::size_t rows);
    RowSink& sink() noexcept { return sink_; }
    // The cells, after checks that rows and columns rise and that values are as wide as they must.
    Cells cells();

  private:
    std::vector<std::int64_t> starts_;
    std::unique_ptr<Scratch> columns_;  // nullptr: to memory
    std::unique_ptr<Scratch> values_;
    std::size_t offset_;
    RowSink sink_;
};

}  // namespace firth::fuzz
