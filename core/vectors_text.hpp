// Vectors as text, one word and its numbers per line: read in blocks on several threads, and
// written with the fewest digits that give the same float32 again.
//
// A field is a run of bytes other than space and tab. White space at the end of a line, including a
// carriage return, is ignored, and lines without a field are skipped. The last `dimension` fields
// are the numbers; what comes before them, less one space or tab, is the word. A word is ambiguous
// if its last field, after white space, reads as a number: its row may be a longer one.
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
    // Lines are numbered from `first_line`. Rows that are not `named` have numbers only.
    VectorText(std::size_t dimension, bool named, std::int64_t first_line);

    // Reads complete lines; only the last line of a file may lack its newline. Returns false after
    // a fault, and then nothing more may be added. The fault is the first of the text, for any
    // number of threads.
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

// Returns how many numbers each line ends with, for the first `most` lines that are not blank. If
// rows are `named`, the numbers leave a word before them; if not, the count is that of all fields,
// or 0 unless all of them are numbers.
std::vector<std::int64_t> number_runs(std::string_view text, std::size_t most, bool named);

// Whether a row of this word would be read as another word and more numbers.
bool ends_in_number(std::string_view word) noexcept;

// Writes rows as text; all values must be finite. A row is its word, which ends in `words` at its
// entry of `ends`, then its numbers, between `separator`s. Without `ends` rows have no word. A
// whole number is written with ".0", so that no row looks like the header of a word2vec file. The
// bytes do not depend on the number of threads.
Pages<char> write_vectors(const float* values, std::size_t rows, std::size_t dimension,
                          std::string_view words, const std::uint64_t* ends, char separator,
                          unsigned threads, const Poll& poll = {});

}  // namespace firth
