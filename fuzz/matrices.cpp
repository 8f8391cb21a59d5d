#include "matrices.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "files.hpp"

namespace firth::fuzz {

Scratch::Scratch() {
    // Memory is the fastest place for a file that is read once.
    std::array<char, 32> name{"/dev/shm/firth-fuzz-XXXXXX"};
    if (access("/dev/shm", W_OK) != 0) name = {"/tmp/firth-fuzz-XXXXXX"};
    file_ = mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), "a temporary file");
    unlink(name.data());
}

Scratch::~Scratch() { close(file_); }

Rows::Rows(Random& random, std::size_t rows)
    : starts_(rows + 1, -1),
      columns_(random.one_in(4) ? std::make_unique<Scratch>() : nullptr),
      values_(columns_ ? std::make_unique<Scratch>() : nullptr),
      offset_(random.below(200)),
      sink_(columns_ ? columns_->file() : -1, values_ ? values_->file() : -1, offset_,
            starts_.data(), rows, random.one_in(3) ? random.below(100) : std::size_t{1} << 20) {}

Cells Rows::cells() {
    const auto size = static_cast<std::size_t>(sink_.size());
    std::vector<std::int32_t> columns(size);
    std::vector<std::uint32_t> narrow(sink_.wide() ? 0 : size);
    std::vector<std::uint64_t> wide(sink_.wide() ? size : 0);
    if (columns_) {
        read_at(columns_->file(), columns.data(), size * 4, offset_);
        if (sink_.wide()) read_at(values_->file(), wide.data(), size * 8, offset_);
        if (!sink_.wide()) read_at(values_->file(), narrow.data(), size * 4, offset_);
    } else {
        check(sink_.columns().size() == size, "another number of columns");
        check(sink_.narrow_values().size() == narrow.size(), "another number of values");
        check(sink_.wide_values().size() == wide.size(), "another number of wide values");
        for (std::size_t i = 0; i < size; ++i) columns[i] = sink_.columns()[i];
        for (std::size_t i = 0; i < narrow.size(); ++i) narrow[i] = sink_.narrow_values()[i];
        for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = sink_.wide_values()[i];
    }
    check(starts_.front() == 0 && starts_.back() == sink_.size(), "rows that do not span the sum");
    Cells cells;
    bool need_wide = false;
    for (std::size_t row = 0; row + 1 < starts_.size(); ++row) {
        check(starts_[row] <= starts_[row + 1], "rows that do not rise");
        for (std::int64_t i = starts_[row]; i < starts_[row + 1]; ++i) {
            const auto at = static_cast<std::size_t>(i);
            check(columns[at] >= 0, "a negative column");
            check(i == starts_[row] || columns[at - 1] < columns[at], "columns that do not rise");
            const std::uint64_t value = sink_.wide() ? wide[at] : narrow[at];
            check(value > 0, "a zero that is held");
            need_wide |= value > 0xFFFFFFFFU;
            cells.emplace(std::pair(row, static_cast<std::uint32_t>(columns[at])), value);
        }
    }
    check(need_wide == sink_.wide(), "values wider or narrower than they must be");
    return cells;
}

}  // namespace firth::fuzz
