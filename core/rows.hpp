// The output of finished rows: blocks of rows made by many threads, stored in row order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "packed.hpp"
#include "pages.hpp"
#include "parallel.hpp"

namespace firth {

// A few consecutive rows, as arrays or packed. In arrays, values have 32 bits until one of them
// needs 64.
class RowBlock {
  public:
    explicit RowBlock(bool is_packed) : is_packed_(is_packed) {}

    void push(std::uint32_t column, std::uint64_t value) {
        if (is_packed_) return packed_.push(column, value);
        columns_.push_back(static_cast<std::int32_t>(column));
        if (value > 0xFFFFFFFFU && !wide_) widen();
        if (wide_) {
            wide_values_.push_back(value);
        } else {
            narrow_values_.push_back(static_cast<std::uint32_t>(value));
        }
    }
    void end_row() {
        packed_.end_row();
        ends_.push_back(size());
    }
    void widen();

    bool wide() const noexcept { return wide_; }
    // The number of entries, or of bytes if they are packed.
    std::size_t size() const noexcept { return is_packed_ ? packed_.size() : columns_.size(); }
    // The memory in use. It exceeds that of the entries, because vectors grow by doubling.
    std::size_t bytes() const noexcept {
        return columns_.capacity() * sizeof(std::int32_t) +
               narrow_values_.capacity() * sizeof(std::uint32_t) +
               wide_values_.capacity() * sizeof(std::uint64_t) + packed_.capacity() +
               ends_.capacity() * sizeof(std::size_t);
    }
    const PackedRows& packed() const noexcept { return packed_; }
    const std::vector<std::int32_t>& columns() const noexcept { return columns_; }
    const std::vector<std::uint32_t>& narrow_values() const noexcept { return narrow_values_; }
    const std::vector<std::uint64_t>& wide_values() const noexcept { return wide_values_; }
    const std::vector<std::size_t>& ends() const noexcept { return ends_; }

  private:
    std::vector<std::int32_t> columns_;
    std::vector<std::uint32_t> narrow_values_;
    std::vector<std::uint64_t> wide_values_;
    PackedRows packed_;
    std::vector<std::size_t> ends_;  // the end of each row within the block
    bool is_packed_;
    bool wide_ = false;
};

// Open files for rows: one of columns and one of values, or a single one of packed rows; -1 for
// none. Data begins at byte `offset` of each.
struct RowFiles {
    int columns = -1;
    int values = -1;
    int packed = -1;
    std::size_t offset = 0;
};

// Stores rows in files, or in memory if there are none. Columns are int32. Values are uint32 if all
// of them fit and uint64 otherwise: this depends on the counts alone, not on how the work was
// divided.
class RowSink {
  public:
    // `starts` has rows + 1 entries and receives the start of each row, in entries, or in bytes if
    // they are packed. At most `most_pending` bytes of blocks wait for the blocks before them.
    RowSink(const RowFiles& files, std::int64_t* starts, std::size_t rows,
            std::size_t most_pending = std::size_t{24} << 20);

    // Returns an empty block of the kind that is stored here.
    RowBlock block() const { return RowBlock(files_.packed >= 0); }
    // Adds block `index`. Blocks may arrive in any order and are stored in increasing order.
    void put(std::size_t index, RowBlock&& block, const Loop& loop);
    // Checks that every row has arrived.
    void finish();

    bool wide() const noexcept { return wide_; }
    std::int64_t size() const noexcept { return size_; }
    Pages<std::int32_t>& columns() noexcept { return columns_; }
    Pages<std::uint32_t>& narrow_values() noexcept { return narrow_values_; }
    Pages<std::uint64_t>& wide_values() noexcept { return wide_values_; }

  private:
    void store(RowBlock block, std::unique_lock<std::mutex>& lock);
    void write(const RowBlock& block, std::size_t at) const;
    void widen();

    RowFiles files_;
    std::int64_t* starts_;
    std::size_t rows_;
    std::size_t most_pending_;

    std::mutex mutex_;
    std::condition_variable turn_;
    std::map<std::size_t, RowBlock> pending_;
    std::size_t pending_bytes_ = 0;
    std::size_t next_ = 0;
    std::size_t row_ = 0;
    std::int64_t size_ = 0;
    std::size_t writing_ = 0;  // blocks being written without the lock
    bool wide_ = false;
    Pages<std::int32_t> columns_;
    Pages<std::uint32_t> narrow_values_;
    Pages<std::uint64_t> wide_values_;
};

}  // namespace firth
