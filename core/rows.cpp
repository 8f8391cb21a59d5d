#include "rows.hpp"

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "files.hpp"

namespace firth {
namespace {

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

RowSink::RowSink(const RowFiles& files, std::int64_t* starts, std::size_t rows,
                 std::size_t most_pending)
    : files_(files), starts_(starts), rows_(rows), most_pending_(most_pending) {
    starts_[0] = 0;
}

void RowSink::put(std::size_t index, RowBlock&& block, const Loop& loop) {
    std::unique_lock lock(mutex_);
    // The next block in order never waits, so all blocks are stored in the end.
    while (index != next_ && pending_bytes_ + block.bytes() > most_pending_) {
        if (loop.cancelled()) throw Cancelled();
        turn_.wait_for(lock, std::chrono::milliseconds(20));
    }
    if (index != next_) {
        pending_bytes_ += block.bytes();
        pending_.emplace(index, std::move(block));
        return;
    }
    store(std::move(block), lock);
    while (!pending_.empty() && pending_.begin()->first == next_) {
        RowBlock ready = std::move(pending_.begin()->second);
        pending_bytes_ -= ready.bytes();
        pending_.erase(pending_.begin());
        store(std::move(ready), lock);
    }
    turn_.notify_all();
}

// Assigns the block its place under the lock, and writes it without the lock, so that others can
// continue.
void RowSink::store(RowBlock block, std::unique_lock<std::mutex>& lock) {
    if (row_ + block.ends().size() > rows_) throw std::logic_error("more rows than announced");
    if (block.wide() && !wide_) {
        turn_.wait(lock, [&] { return writing_ == 0; });
        if (!wide_) widen();
    }
    if (wide_ && !block.wide()) block.widen();
    const auto at = static_cast<std::size_t>(size_);
    for (const std::size_t end : block.ends())
        starts_[++row_] = size_ + static_cast<std::int64_t>(end);
    size_ += static_cast<std::int64_t>(block.size());
    if (files_.columns < 0 && files_.packed < 0) {
        append(columns_, block.columns());
        if (wide_) {
            append(wide_values_, block.wide_values());
        } else {
            append(narrow_values_, block.narrow_values());
        }
        ++next_;
        return;
    }
    ++writing_;
    ++next_;
    lock.unlock();
    try {
        write(block, at);
    } catch (...) {
        lock.lock();
        --writing_;
        turn_.notify_all();
        throw;
    }
    lock.lock();
    --writing_;
    turn_.notify_all();
}

void RowSink::write(const RowBlock& block, std::size_t at) const {
    const auto write_part = [&](int file, const void* data, std::size_t each) {
        write_at(file, data, block.size() * each, files_.offset + at * each);
        start_writing(file, block.size() * each, files_.offset + at * each);
    };
    if (files_.packed >= 0) return write_part(files_.packed, block.packed().data(), 1);
    write_part(files_.columns, block.columns().data(), 4);
    if (block.wide()) {
        write_part(files_.values, block.wide_values().data(), 8);
    } else {
        write_part(files_.values, block.narrow_values().data(), 4);
    }
}

// Changes to values of 64 bits. Those stored so far are rewritten from the end, so that none is
// overwritten before it is read.
void RowSink::widen() {
    wide_ = true;
    const auto size = static_cast<std::size_t>(size_);
    if (files_.columns < 0) {
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
        read_at(files_.values, narrow.data(), n * 4, files_.offset + begin * 4);
        for (std::size_t i = 0; i < n; ++i) spread[i] = narrow[i];
        write_at(files_.values, spread.data(), n * 8, files_.offset + begin * 8);
        end = begin;
    }
}

void RowSink::finish() {
    if (row_ != rows_ || !pending_.empty()) throw std::logic_error("rows are missing");
}

}  // namespace firth
