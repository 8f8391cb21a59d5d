// Words and their vectors as a reader gathers them, and what can be wrong with a row.
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
    Pages<std::int64_t> lines;  // where each row stood, from 1

    std::size_t size() const noexcept { return ends.size(); }
    std::string_view word(std::size_t row) const noexcept {
        const std::uint64_t begin = row == 0 ? 0 : ends[row - 1];
        return {text.data() + begin, static_cast<std::size_t>(ends[row] - begin)};
    }
    void reserve_word(std::size_t bytes) { text.reserve(grown(text, bytes)); }
    void add_word(std::string_view word);

    // Room for as many more, and half as much again where there is none: growing a little at a
    // time would be slow where the system cannot move pages.
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
        many,       // more of them
        blank,      // no word
        malformed,  // a word that is not UTF-8
        infinite,   // not a number, or none that a float32 can hold
        lengthy,    // a word that does not end
        cut,        // a row that does
    };
    Kind kind = Kind::none;
    std::int64_t line = 0;   // of a text, or row of a binary file; from 1
    std::int64_t found = 0;  // numbers in the row; of a malformed word, the byte, from 1
    std::string word;        // as far as it is known
    std::string field;       // what should have been a number

    explicit operator bool() const noexcept { return kind != Kind::none; }
};

// The first byte that is not UTF-8, or npos.
std::size_t first_malformed(std::string_view word) noexcept;

}  // namespace firth
