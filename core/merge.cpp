#include "merge.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "accumulator.hpp"
#include "files.hpp"

namespace firth {
namespace {

constexpr std::size_t kBlockRows = 256;
// Columns summed at a time. A wider row is merged in stretches of columns, so that the dense row
// stays small however many columns there are.
constexpr std::size_t kStretch = std::size_t{1} << 20;

[[noreturn]] void fail(const char* what) {
    throw std::invalid_argument(std::string("invalid count matrix: ") + what);
}

void add_to(Accumulator<std::uint64_t>& row, std::size_t column, std::uint64_t value,
            std::uint64_t limit) {
    if (value == 0) return;  // a cell of 0 counts as untouched
    if (!row.add_checked(static_cast<std::uint32_t>(column), value, limit))
        throw std::overflow_error("a count exceeds the largest value that can be stored");
}

// Reads the rows of one matrix in increasing order. open() announces rows [first, last) of the sum,
// seek() goes to one of them, and add() adds its entries with columns below `stop` to `row`,
// shifted down by `shift`.
class SourceReader {
  public:
    explicit SourceReader(const Source& source) : source_(source) {}

    void open(std::size_t, std::size_t) noexcept {}

    void seek(std::size_t row) {
        const auto own =
            source_.row_of != nullptr ? source_.row_of[row] : static_cast<std::int64_t>(row);
        at_ = end_ = 0;
        if (own < 0) return;
        if (static_cast<std::size_t>(own) >= source_.rows) fail("a row lies outside its matrix");
        at_ = source_.starts[own];
        end_ = source_.starts[own + 1];
        if (at_ < 0 || end_ < at_ || end_ > source_.size) fail("its row starts do not rise");
    }

    void add(std::size_t stop, std::size_t shift, std::uint64_t limit,
             Accumulator<std::uint64_t>& row) {
        for (; at_ < end_; ++at_) {
            const std::int32_t own = source_.columns[at_];
            if (own < 0 || static_cast<std::size_t>(own) >= source_.width)
                fail("a column lies outside its matrix");
            auto column = static_cast<std::size_t>(own);
            if (source_.column_to != nullptr)
                column = static_cast<std::size_t>(source_.column_to[own]);
            if (column >= stop) {
                if (source_.column_to != nullptr) fail("a column lies outside the sum");
                return;
            }
            if (column < shift) fail("its columns do not rise");
            add_to(row, column - shift, value(), limit);
        }
    }

    bool drained() const noexcept { return at_ >= end_; }

  private:
    std::uint64_t value() const noexcept {
        return source_.wide ? static_cast<const std::uint64_t*>(source_.values)[at_]
                            : static_cast<const std::uint32_t*>(source_.values)[at_];
    }

    const Source& source_;
    std::int64_t at_ = 0;   // next entry of the row
    std::int64_t end_ = 0;  // end of the row
};

// The same interface for the packed rows of a file, read through a small buffer.
class RunReader {
  public:
    RunReader(const Run& run, std::size_t batch)
        : run_(run), batch_(std::max(batch, kLongestEntry)) {}

    void open(std::size_t first, std::size_t last) {
        first_ = first;
        starts_.resize(last - first + 1);
        read_at(run_.starts, starts_.data(), starts_.size() * 8, run_.offset + first * 8);
        if (starts_.front() < 0 || starts_.back() > run_.size ||
            !std::is_sorted(starts_.begin(), starts_.end()))
            fail("its row starts do not rise");
        stop_ = starts_.back();
        at_ = have_ = have_end_ = starts_.front();
    }

    void seek(std::size_t row) {
        at_ = starts_[row - first_];
        end_ = starts_[row - first_ + 1];
        next_ = 0;
    }

    void add(std::size_t stop, std::size_t shift, std::uint64_t limit,
             Accumulator<std::uint64_t>& row) {
        while (at_ < end_) {
            fill();
            const std::uint8_t* const begin = buffer_.data() + (at_ - have_);
            const std::uint8_t* const end = buffer_.data() + (std::min(end_, have_end_) - have_);
            const std::uint8_t* at = begin;
            // Up to the end of the row, or to an entry that the buffer may hold only in part.
            const std::size_t spared = have_end_ < end_ ? kLongestEntry : 1;
            while (static_cast<std::size_t>(end - at) >= spared) {
                std::uint64_t gap = 0;
                std::uint64_t value = 0;
                const std::uint8_t* const after = get_entry(at, end, gap, value);
                if (after == nullptr || gap >= kMostColumns) fail("an entry is damaged");
                if (next_ + gap >= stop) {
                    at_ += at - begin;  // for the next stretch
                    return;
                }
                at = after;
                next_ += gap;
                add_to(row, next_ - shift, value, limit);
                ++next_;
            }
            at_ += at - begin;
        }
    }

    bool drained() const noexcept { return at_ >= end_; }

  private:
    static constexpr std::uint64_t kMostColumns = std::uint64_t{1} << 31;

    // Makes sure that the buffer holds the whole entry at at_. Rows are contiguous, so it reads
    // beyond the end of this one.
    void fill() {
        if (have_end_ == stop_ || have_end_ - at_ >= static_cast<std::int64_t>(kLongestEntry))
            return;
        const std::size_t size = std::min(batch_, static_cast<std::size_t>(stop_ - at_));
        buffer_.resize(size + kLongestEntry);
        read_at(run_.packed, buffer_.data(), size, static_cast<std::size_t>(at_));
        have_ = at_;
        have_end_ = at_ + static_cast<std::int64_t>(size);
    }

    const Run& run_;
    std::size_t batch_;
    std::int64_t at_ = 0;    // byte of the next entry
    std::int64_t end_ = 0;   // end of the row
    std::int64_t stop_ = 0;  // end of the rows announced
    std::int64_t have_ = 0;  // first byte in the buffer
    std::int64_t have_end_ = 0;
    std::size_t first_ = 0;
    std::size_t next_ = 0;  // smallest column that the next entry can have
    std::vector<std::int64_t> starts_;
    std::vector<std::uint8_t> buffer_;
};

// Adds `many` matrices; `reader(i)` makes a reader of matrix i.
template <class MakeReader>
void merge(std::size_t many, const MakeReader& reader, std::size_t stretch, std::size_t rows,
           std::size_t columns, std::uint64_t limit, RowSink& sink, unsigned threads,
           const Poll& poll) {
    const std::size_t dense = std::min(std::max<std::size_t>(columns, 1), stretch);
    std::vector<std::unique_ptr<Accumulator<std::uint64_t>>> dense_rows(std::max(threads, 1U));
    const auto merge_block = [&](std::size_t item, unsigned worker, Loop& loop) {
        if (!dense_rows[worker])
            dense_rows[worker] = std::make_unique<Accumulator<std::uint64_t>>(dense);
        auto& sum = *dense_rows[worker];
        std::vector<decltype(reader(0))> readers;
        readers.reserve(many);
        for (std::size_t i = 0; i < many; ++i) readers.push_back(reader(i));
        RowBlock block = sink.block();
        const std::size_t end = std::min(rows, (item + 1) * kBlockRows);
        for (auto& one : readers) one.open(item * kBlockRows, end);
        for (std::size_t row = item * kBlockRows; row < end; ++row) {
            for (auto& one : readers) one.seek(row);
            for (std::size_t shift = 0; shift < columns; shift += stretch) {
                const std::size_t stop = std::min(columns, shift + stretch);
                for (auto& one : readers) one.add(stop, shift, limit, sum);
                sum.drain(stop - shift, [&](std::uint32_t column, std::uint64_t value) {
                    block.push(static_cast<std::uint32_t>(shift + column), value);
                });
            }
            for (const auto& one : readers)
                if (!one.drained()) throw std::invalid_argument("a column lies outside the sum");
            block.end_row();
        }
        sink.put(item, std::move(block), loop);
    };
    parallel_for((rows + kBlockRows - 1) / kBlockRows, threads, merge_block, poll);
    sink.finish();
}

}  // namespace

void merge_rows(const std::vector<Source>& sources, std::size_t rows, std::size_t columns,
                std::uint64_t limit, RowSink& sink, unsigned threads, const Poll& poll) {
    // Renamed columns come in any order, so rows are merged in stretches only where no source has
    // them.
    const bool renamed = std::any_of(sources.begin(), sources.end(),
                                     [](const Source& s) { return s.column_to != nullptr; });
    const std::size_t stretch = renamed ? std::max<std::size_t>(columns, 1) : kStretch;
    const auto reader = [&](std::size_t i) { return SourceReader(sources[i]); };
    merge(sources.size(), reader, stretch, rows, columns, limit, sink, threads, poll);
}

void merge_runs(const std::vector<Run>& runs, std::size_t rows, std::size_t columns,
                std::uint64_t limit, std::size_t batch, RowSink& sink, unsigned threads,
                const Poll& poll) {
    const auto reader = [&](std::size_t i) { return RunReader(runs[i], batch); };
    merge(runs.size(), reader, kStretch, rows, columns, limit, sink, threads, poll);
}

bool sound_rows(const std::int64_t* starts, std::size_t rows, const std::int32_t* columns,
                std::int64_t size, std::int64_t width, unsigned threads) {
    if (starts[0] != 0 || starts[rows] != size) return false;
    for (std::size_t r = 0; r < rows; ++r)
        if (starts[r + 1] < starts[r] || starts[r + 1] > size) return false;
    std::atomic<bool> fine{true};
    parallel_for((rows + kBlockRows - 1) / kBlockRows, threads,
                 [&](std::size_t item, unsigned, Loop&) {
                     const std::size_t end = std::min(rows, (item + 1) * kBlockRows);
                     for (std::size_t r = item * kBlockRows; r < end; ++r) {
                         std::int64_t before = -1;
                         for (std::int64_t i = starts[r]; i < starts[r + 1]; ++i) {
                             if (columns[i] <= before) fine = false;
                             before = columns[i];
                         }
                         if (before >= width) fine = false;
                     }
                 });
    return fine;
}

}  // namespace firth
