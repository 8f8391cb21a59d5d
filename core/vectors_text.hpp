// Vectors in text, a word and its numbers a line: read in blocks on several threads, and written
// with the fewest digits that give the same float32 again.
//
// A field is a run of bytes other than space and tab. White space at the end of a line, carriage
// return included, does not count, and a line without a field is passed over. The last `dimension`
// fields are the numbers; what comes before them, less one space or tab, is the word. A word that
// ends in a field that reads as a number after white space cannot be told from a longer row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pages.hpp"
#include "parallel.hpp"
#include "vectors.hpp"

namespace firth {

class VectorText {
  public:
    // Lines are numbered from `first_line`. Rows that are not `named` are numbers alone.
    VectorText(std::size_t dimension, bool named, std::int64_t first_line);

    // Reads whole lines; only the last of a file may lack its end. Returns whether all was well
    // so far: after a fault nothing may be added. The fault is the first of the text, however
    // many threads there are.
    bool add(std::string_view lines, unsigned threads, const Poll& poll = {});

    const VectorFault& fault() const noexcept { return fault_; }
    VectorRows& rows() noexcept { return rows_; }
    std::int64_t next_line() const noexcept { return next_line_; }

  private:
    struct Block;
    void count(Block& block) const noexcept;
    void read(Block& block, std::size_t row, std::int64_t line);
    bool make_room(std::vector<Block>& blocks, std::size_t bytes);

    std::size_t dimension_;
    bool named_;
    std::int64_t next_line_;
    VectorFault fault_;
    VectorRows rows_;
};

// For each line that is not blank, up to `most` of them, how many numbers it ends in: as many as
// leave a word before them, or, if rows are not `named`, all fields if all are numbers, else 0.
std::vector<std::int64_t> number_runs(std::string_view text, std::size_t most, bool named);

// Whether a word and the numbers after it would be read as another word and more numbers.
bool ends_in_number(std::string_view word) noexcept;

// Rows as text, all values finite. Each is the words' text up to its end, if there are `ends`, then
// the numbers, between `separator`s. A whole number is written with ".0", so that no row looks like
// the header of a word2vec file. The bytes do not depend on the number of threads.
Pages<char> write_vectors(const float* values, std::size_t rows, std::size_t dimension,
                          std::string_view words, const std::uint64_t* ends, char separator,
                          unsigned threads, const Poll& poll = {});

}  // namespace firth
