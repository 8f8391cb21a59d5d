// The words and vectors that a reader has read, and the faults that a row can have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pages.hpp"

namespace firth {

struct VectorRows {
    Pages<float> values;  // rows x dimension
    Pages<char> text;     // the words, one after another
    Pages<std::uint64_t> ends;
    Pages<std::int64_t> lines;  // the line number of each row, from 1

    std::size_t size() const noexcept { return ends.size(); }
    std::string_view word(std::size_t row) const noexcept {
        const std::uint64_t begin = row == 0 ? 0 : ends[row - 1];
        return {text.data() + begin, static_cast<std::size_t>(ends[row] - begin)};
    }
    void reserve_word(std::size_t bytes) { text.reserve(grown(text, bytes)); }
    void add_word(std::string_view word);

    // The capacity for `more` more elements, with half as much again if the array must grow:
    // growing a little at a time would be slow where the system cannot move pages.
    template <class T>
    static std::size_t grown(const Pages<T>& pages, std::size_t more) noexcept {
        const std::size_t need = pages.size() + more;
        return need <= pages.capacity() ? need : need + pages.size() / 2;
    }
};

struct VectorFault {
    enum class Kind : std::uint8_t {
        none,
        few,        // fewer numbers than the dimension
        many,       // more numbers than the dimension
        blank,      // an empty word
        malformed,  // a word that is not UTF-8
        infinite,   // a number that is not finite as a float32
        lengthy,    // a word that is too long
        cut,        // a row that is cut short
    };
    Kind kind = Kind::none;
    std::int64_t line = 0;   // in a text, or row in a binary file; from 1
    std::int64_t found = 0;  // numbers in the row; or the malformed byte, from 1
    std::string word;        // as far as known
    std::string field;       // the field that is not a finite number

    explicit operator bool() const noexcept { return kind != Kind::none; }
};

// Returns the offset of the first byte that is not UTF-8, or npos.
std::size_t first_malformed(std::string_view word) noexcept;

}  // namespace firth
