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
// Columns summed at a time: a row wider than this is merged in stretches, so that the dense row
// stays small however many columns there are.
constexpr std::size_t kStretch = std::size_t{1} << 20;

// Reads one source's rows in rising order through a small buffer.
class Reader {
  public:
    Reader(const Source& source, std::size_t batch)
        : source_(source), batch_(static_cast<std::int64_t>(batch)) {}

    // Says that rows [first, last) of the sum come next.
    void open(std::size_t first, std::size_t last) {
        stop_ = source_.size;
        if (source_.starts != nullptr) return;
        if (last > source_.rows) fail("it has too few rows");
        first_ = first;
        starts_.resize(last - first + 1);
        read_at(source_.starts_file, starts_.data(), starts_.size() * 8,
                source_.offset + first * 8);
        stop_ = std::min(source_.size, starts_.back());
    }

    // Goes to `row` of the sum.
    void seek(std::size_t row) {
        std::int64_t own = static_cast<std::int64_t>(row);
        if (source_.row_of != nullptr) own = source_.row_of[row];
        if (own < 0) {
            at_ = end_ = 0;
            return;
        }
        if (static_cast<std::size_t>(own) >= source_.rows) fail("a row lies outside its matrix");
        const std::int64_t* edge = source_.starts != nullptr
                                       ? source_.starts + own
                                       : starts_.data() + (static_cast<std::size_t>(own) - first_);
        if (edge[0] < 0 || edge[1] < edge[0] || edge[1] > source_.size)
            fail("its row starts do not rise");
        at_ = edge[0];
        end_ = edge[1];
    }

    // Adds the entries of the row whose column is below `stop` to `row`, shifted down by `shift`.
    void add(std::size_t stop, std::size_t shift, std::uint64_t limit,
             Accumulator<std::uint64_t>& row) {
        while (at_ < end_) {
            fill();
            for (; at_ < have_end_ && at_ < end_; ++at_) {
                const std::int32_t own = columns_[at_ - have_];
                if (own < 0 || static_cast<std::size_t>(own) >= source_.width)
                    fail("a column lies outside its matrix");
                std::size_t column = static_cast<std::size_t>(own);
                if (source_.column_to != nullptr)
                    column = static_cast<std::size_t>(source_.column_to[own]);
                if (column >= stop) {
                    if (source_.column_to != nullptr) fail("a column lies outside the sum");
                    return;
                }
                if (column < shift) fail("its columns do not rise");
                const std::uint64_t value =
                    wide_ != nullptr ? wide_[at_ - have_] : narrow_[at_ - have_];
                if (value == 0) continue;  // would be touched without a trace
                if (!row.add_checked(static_cast<std::uint32_t>(column - shift), value, limit))
                    throw std::overflow_error("a count passes the largest that can be held");
            }
        }
    }

    bool drained() const noexcept { return at_ >= end_; }

  private:
    [[noreturn]] static void fail(const char* what) {
        throw std::invalid_argument(std::string("not a sound count matrix: ") + what);
    }

    // Makes entries from at_ on available.
    void fill() {
        if (source_.columns != nullptr) {
            have_ = 0;
            have_end_ = source_.size;
            columns_ = source_.columns;
            if (source_.wide) {
                wide_ = static_cast<const std::uint64_t*>(source_.values);
            } else {
                narrow_ = static_cast<const std::uint32_t*>(source_.values);
            }
            return;
        }
        if (at_ >= have_ && at_ < have_end_) return;
        // Rows follow each other, so read on past the end of this one.
        const std::int64_t n = std::min(batch_, std::max(stop_, end_) - at_);
        const auto count = static_cast<std::size_t>(n);
        const auto from = static_cast<std::size_t>(at_);
        column_buffer_.resize(count);
        read_at(source_.columns_file, column_buffer_.data(), count * 4, source_.offset + from * 4);
        if (source_.wide) {
            wide_buffer_.resize(count);
            read_at(source_.values_file, wide_buffer_.data(), count * 8, source_.offset + from * 8);
            wide_ = wide_buffer_.data();
        } else {
            narrow_buffer_.resize(count);
            read_at(source_.values_file, narrow_buffer_.data(), count * 4,
                    source_.offset + from * 4);
            narrow_ = narrow_buffer_.data();
        }
        columns_ = column_buffer_.data();
        have_ = at_;
        have_end_ = at_ + n;
    }

    const Source& source_;
    std::int64_t batch_;
    std::int64_t at_ = 0;    // next entry of the row
    std::int64_t end_ = 0;   // end of the row
    std::int64_t stop_ = 0;  // end of the rows announced
    std::int64_t have_ = 0;
    std::int64_t have_end_ = 0;
    std::size_t first_ = 0;
    std::vector<std::int64_t> starts_;
    const std::int32_t* columns_ = nullptr;
    const std::uint32_t* narrow_ = nullptr;
    const std::uint64_t* wide_ = nullptr;
    std::vector<std::int32_t> column_buffer_;
    std::vector<std::uint32_t> narrow_buffer_;
    std::vector<std::uint64_t> wide_buffer_;
};

}  // namespace

void merge_rows(const std::vector<Source>& sources, std::size_t rows, std::size_t columns,
                std::uint64_t limit, std::size_t batch, RowSink& sink, unsigned threads,
                const Poll& poll) {
    // A renamed column may fall anywhere, so stretches work only where no source is renamed.
    const bool renamed = std::any_of(sources.begin(), sources.end(),
                                     [](const Source& s) { return s.column_to != nullptr; });
    const std::size_t stretch = renamed ? std::max<std::size_t>(columns, 1) : kStretch;
    const std::size_t dense = std::min(std::max<std::size_t>(columns, 1), stretch);
    std::vector<std::unique_ptr<Accumulator<std::uint64_t>>> dense_rows(std::max(threads, 1U));
    parallel_for((rows + kBlockRows - 1) / kBlockRows, threads,
                 [&](std::size_t item, unsigned worker, Loop& loop) {
                     if (!dense_rows[worker])
                         dense_rows[worker] = std::make_unique<Accumulator<std::uint64_t>>(dense);
                     auto& sum = *dense_rows[worker];
                     std::vector<Reader> readers;
                     readers.reserve(sources.size());
                     for (const Source& source : sources) readers.emplace_back(source, batch);
                     RowBlock block;
                     const std::size_t end = std::min(rows, (item + 1) * kBlockRows);
                     for (auto& reader : readers) reader.open(item * kBlockRows, end);
                     for (std::size_t row = item * kBlockRows; row < end; ++row) {
                         for (auto& reader : readers) reader.seek(row);
                         for (std::size_t shift = 0; shift < columns; shift += stretch) {
                             const std::size_t stop = std::min(columns, shift + stretch);
                             for (auto& reader : readers) reader.add(stop, shift, limit, sum);
                             sum.drain(
                                 stop - shift, [&](std::uint32_t column, std::uint64_t value) {
                                     block.push(static_cast<std::uint32_t>(shift + column), value);
                                 });
                         }
                         for (const auto& reader : readers)
                             if (!reader.drained())
                                 throw std::invalid_argument("a column lies outside the sum");
                         block.end_row();
                     }
                     sink.put(item, std::move(block), loop);
                 },
                 poll);
    sink.finish();
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
