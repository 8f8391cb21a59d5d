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
    // Files in memory are the fastest.
    std::array<char, 32> name{"/dev/shm/firth-fuzz-XXXXXX"};
    if (access("/dev/shm", W_OK) != 0) name = {"/tmp/firth-fuzz-XXXXXX"};
    file_ = mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), "a temporary file");
    unlink(name.data());
}

Scratch::~Scratch() { close(file_); }

Rows::Rows(Random& random, std::size_t rows)
    : starts_(rows + 1, -1),
      offset_(random.below(200)),
      sink_(files(random), starts_.data(), rows,
            random.one_in(3) ? random.below(100) : std::size_t{1} << 20) {}

RowFiles Rows::files(Random& random) {
    const std::size_t many = random.one_in(4) ? random.between(1, 2) : 0;
    while (scratch_.size() < many) scratch_.push_back(std::make_unique<Scratch>());
    if (many == 0) return {};
    if (many == 1) return {.packed = scratch_[0]->file(), .offset = offset_};
    return {.columns = scratch_[0]->file(), .values = scratch_[1]->file(), .offset = offset_};
}

// Unpacks packed rows, number by number, and changes the starts to count entries, as for arrays.
void Rows::unpack(std::vector<std::int32_t>& columns, std::vector<std::uint64_t>& values) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(sink_.size()));
    read_at(scratch_[0]->file(), bytes.data(), bytes.size(), offset_);
    const std::uint8_t* at = bytes.data();
    for (std::size_t row = 0; row + 1 < starts_.size(); ++row) {
        check(bytes.data() + starts_[row] == at, "a row begins elsewhere");
        starts_[row] = static_cast<std::int64_t>(columns.size());
        const std::uint8_t* const end = bytes.data() + starts_[row + 1];
        for (std::uint64_t next = 0; at != end; ++next) {
            std::uint64_t number = 0;
            at = get_number(at, end, number);
            check(at != nullptr && number < 1U << 31U, "a gap cannot be read");
            next += number;
            columns.push_back(static_cast<std::int32_t>(next));
            at = get_number(at, end, number);
            check(at != nullptr, "a value cannot be read");
            values.push_back(number);
        }
    }
    check(at == bytes.data() + bytes.size(), "there are bytes after the last row");
    starts_.back() = static_cast<std::int64_t>(columns.size());
}

Cells Rows::cells() {
    const auto size = static_cast<std::size_t>(sink_.size());
    const bool packed = scratch_.size() == 1;
    std::vector<std::int32_t> columns;
    std::vector<std::uint64_t> values;
    check(starts_.front() == 0 && starts_.back() == sink_.size(), "the rows do not span the sum");
    if (packed) {
        unpack(columns, values);
    } else if (!scratch_.empty()) {
        columns.resize(size);
        values.resize(size);
        std::vector<std::uint32_t> narrow(size);
        read_at(scratch_[0]->file(), columns.data(), size * 4, offset_);
        if (sink_.wide()) {
            read_at(scratch_[1]->file(), values.data(), size * 8, offset_);
        } else {
            read_at(scratch_[1]->file(), narrow.data(), size * 4, offset_);
            values.assign(narrow.begin(), narrow.end());
        }
    } else {
        check(sink_.columns().size() == size, "wrong number of columns");
        check(sink_.narrow_values().size() == (sink_.wide() ? 0 : size), "wrong number of values");
        check(sink_.wide_values().size() == (sink_.wide() ? size : 0),
              "wrong number of wide values");
        for (std::size_t i = 0; i < size; ++i) {
            columns.push_back(sink_.columns()[i]);
            values.push_back(sink_.wide() ? sink_.wide_values()[i] : sink_.narrow_values()[i]);
        }
    }
    Cells cells;
    bool need_wide = false;
    for (std::size_t row = 0; row + 1 < starts_.size(); ++row) {
        check(starts_[row] <= starts_[row + 1], "row starts decrease");
        for (std::int64_t i = starts_[row]; i < starts_[row + 1]; ++i) {
            const auto at = static_cast<std::size_t>(i);
            check(columns[at] >= 0, "a column is negative");
            check(i == starts_[row] || columns[at - 1] < columns[at], "columns do not increase");
            check(values[at] > 0, "a zero is stored");
            need_wide |= values[at] > 0xFFFFFFFFU;
            cells.emplace(std::pair(row, static_cast<std::uint32_t>(columns[at])), values[at]);
        }
    }
    check(need_wide == sink_.wide() || packed, "values have the wrong width");
    return cells;
}

}  // namespace firth::fuzz
