// Packed rows, the format of partial sums on disk. An entry is the number of columns between it and
// the entry before it, and its value, both as numbers of variable length. Most entries take two
// bytes; in arrays they take eight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace firth {

inline constexpr std::size_t kLongestNumber = 10;  // bytes, for 64 bits
inline constexpr std::size_t kLongestEntry = 2 * kLongestNumber;

// Writes `value` to `to`, seven bits per byte, lowest first, with the top bit set in each byte but
// the last. Returns the end of the number.
inline std::uint8_t* put_number(std::uint8_t* to, std::uint64_t value) noexcept {
    while (value >= 0x80) {
        *to++ = static_cast<std::uint8_t>(value | 0x80);
        value >>= 7;
    }
    *to++ = static_cast<std::uint8_t>(value);
    return to;
}

// Reads what put_number wrote and returns its end, or nullptr if it continues past `end` or past 64
// bits.
inline const std::uint8_t* get_number(const std::uint8_t* from, const std::uint8_t* end,
                                      std::uint64_t& value) noexcept {
    value = 0;
    for (unsigned shift = 0; from != end && shift < 64; shift += 7) {
        const std::uint64_t byte = *from++;
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80) return shift == 63 && byte > 1 ? nullptr : from;
    }
    return nullptr;
}

// Writes an entry: the gap, then the value. Nearly all gaps take one or two bytes, unpredictably,
// and nearly all values take one: these cases have no branch that could be mispredicted. May write
// kLongestEntry bytes; get_entry may read as many, even past `end`.
inline std::uint8_t* put_entry(std::uint8_t* to, std::uint64_t gap, std::uint64_t value) noexcept {
    if (gap >= 1U << 14 || value >= 0x80) return put_number(put_number(to, gap), value);
    const std::uint64_t more = gap >= 0x80;
    to[0] = static_cast<std::uint8_t>((gap & 0x7F) | more << 7);
    to[1] = static_cast<std::uint8_t>(more != 0 ? gap >> 7 : value);
    to[2] = static_cast<std::uint8_t>(value);
    return to + 2 + more;
}

// Reads an entry and returns its end, or nullptr if it is not complete before `end`.
inline const std::uint8_t* get_entry(const std::uint8_t* from, const std::uint8_t* end,
                                     std::uint64_t& gap, std::uint64_t& value) noexcept {
    const std::uint64_t first = from[0];
    const std::uint64_t second = from[1];
    const std::uint64_t third = from[2];
    const std::uint64_t more = first >> 7;
    gap = (first & 0x7F) | (more != 0 ? second << 7 : 0);
    value = more != 0 ? third : second;
    from += 2 + more;
    if (((second & (0 - more)) | value) < 0x80 && from <= end) return from;
    from = get_number(from - 2 - more, end, gap);
    return from == nullptr ? nullptr : get_number(from, end, value);
}

// A few packed rows.
class PackedRows {
  public:
    void push(std::uint32_t column, std::uint64_t value) {
        if (bytes_.size() - size_ < kLongestEntry) bytes_.resize(2 * bytes_.size() + kFirst);
        std::uint8_t* const begin = bytes_.data() + size_;
        size_ += static_cast<std::size_t>(put_entry(begin, column - next_, value) - begin);
        next_ = column + 1;
    }
    void end_row() noexcept { next_ = 0; }

    const std::uint8_t* data() const noexcept { return bytes_.data(); }
    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return bytes_.capacity(); }

  private:
    static constexpr std::size_t kFirst = 256;

    std::vector<std::uint8_t> bytes_;
    std::size_t size_ = 0;
    std::uint32_t next_ = 0;  // smallest column that the next entry of the row can have
};

}  // namespace firth
