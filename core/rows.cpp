#include "rows.hpp"

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "files.hpp"

namespace firth {
namespace {

constexpr std::size_t kStart = std::size_t{1} << 20;  // entries between nudges to the disk

template <class T>
void append(Pages<T>& pages, const std::vector<T>& more) {
    const std::size_t had = pages.size();
    if (had + more.size() > pages.capacity()) pages.reserve((had + more.size()) * 5 / 4 + 1024);
    pages.resize(had + more.size());
    if (!more.empty()) std::memcpy(pages.data() + had, more.data(), more.size() * sizeof(T));
}

}  // namespace

void RowBlock::widen() {
    wide_values_.assign(narrow_values_.begin(), narrow_values_.end());
    narrow_values_.clear();
    wide_ = true;
}

void RowBlock::clear() noexcept {
    columns_.clear();
    narrow_values_.clear();
    wide_values_.clear();
    ends_.clear();
    wide_ = false;
}

RowSink::RowSink(int columns_file, int values_file, std::size_t offset, std::int64_t* starts,
                 std::size_t rows, std::size_t most_pending)
    : columns_file_(columns_file),
      values_file_(values_file),
      offset_(offset),
      starts_(starts),
      rows_(rows),
      most_pending_(most_pending) {
    starts_[0] = 0;
}

void RowSink::put(std::size_t index, RowBlock&& block, const Loop& loop) {
    std::unique_lock lock(mutex_);
    // The block whose turn it is never waits, so the others' turns come.
    while (index != next_ && pending_bytes_ + block.bytes() > most_pending_) {
        if (loop.cancelled()) throw Cancelled();
        turn_.wait_for(lock, std::chrono::milliseconds(20));
    }
    if (index != next_) {
        pending_bytes_ += block.bytes();
        pending_.emplace(index, std::move(block));
        return;
    }
    lay(block);
    for (auto it = pending_.begin(); it != pending_.end() && it->first == next_;) {
        pending_bytes_ -= it->second.bytes();
        lay(it->second);
        it = pending_.erase(it);
    }
    turn_.notify_all();
}

void RowSink::lay(RowBlock& block) {
    if (row_ + block.ends().size() > rows_) throw std::logic_error("more rows than were promised");
    if (block.wide() && !wide_) widen();
    if (wide_ && !block.wide()) block.widen();
    const auto at = static_cast<std::size_t>(size_);
    if (columns_file_ >= 0) {
        write_at(columns_file_, block.columns().data(), block.size() * 4, offset_ + at * 4);
        if (wide_) {
            write_at(values_file_, block.wide_values().data(), block.size() * 8, offset_ + at * 8);
        } else {
            write_at(values_file_, block.narrow_values().data(), block.size() * 4,
                     offset_ + at * 4);
        }
    } else {
        append(columns_, block.columns());
        if (wide_) {
            append(wide_values_, block.wide_values());
        } else {
            append(narrow_values_, block.narrow_values());
        }
    }
    if (columns_file_ >= 0 && at + block.size() - started_ >= kStart) {
        const std::size_t more = at + block.size() - started_;
        const std::size_t wide = wide_ ? 8 : 4;
        start_writing(columns_file_, more * 4, offset_ + started_ * 4);
        start_writing(values_file_, more * wide, offset_ + started_ * wide);
        started_ += more;
    }
    for (const std::size_t end : block.ends())
        starts_[++row_] = size_ + static_cast<std::int64_t>(end);
    size_ += static_cast<std::int64_t>(block.size());
    ++next_;
}

// A value of more than 32 bits has come: spread what was laid down so far, from the back, so that
// nothing is overwritten before it is read.
void RowSink::widen() {
    wide_ = true;
    const auto size = static_cast<std::size_t>(size_);
    if (columns_file_ < 0) {
        wide_values_.resize(size);
        for (std::size_t i = 0; i < size; ++i) wide_values_[i] = narrow_values_[i];
        narrow_values_ = Pages<std::uint32_t>();
        return;
    }
    constexpr std::size_t kStep = std::size_t{1} << 18;
    std::vector<std::uint32_t> narrow(kStep);
    std::vector<std::uint64_t> spread(kStep);
    for (std::size_t end = size; end > 0;) {
        const std::size_t n = end < kStep ? end : kStep;
        const std::size_t begin = end - n;
        read_at(values_file_, narrow.data(), n * 4, offset_ + begin * 4);
        for (std::size_t i = 0; i < n; ++i) spread[i] = narrow[i];
        write_at(values_file_, spread.data(), n * 8, offset_ + begin * 8);
        end = begin;
    }
}

void RowSink::finish() {
    if (row_ != rows_ || !pending_.empty()) throw std::logic_error("rows are missing");
}

}  // namespace firth
