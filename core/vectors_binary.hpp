// Vectors in the binary format of word2vec: a word, a space, float32 numbers, and often a newline.
#pragma once

#include <cstddef>
#include <string_view>

#include "vectors.hpp"

namespace firth {

inline constexpr std::size_t kLongestWord = 64 << 10;  // bytes

class VectorBinary {
  public:
    explicit VectorBinary(std::size_t dimension);

    // Reads the complete rows at the beginning of `bytes` and returns how many bytes they take. The
    // caller passes the rest again, with more after it, unless it is the `last` of the file.
    // Newlines before a word and at the end are skipped. After a fault nothing may be added.
    std::size_t add(std::string_view bytes, bool last);

    const VectorFault& fault() const noexcept { return fault_; }
    VectorRows& rows() noexcept { return rows_; }

  private:
    std::size_t dimension_;
    VectorFault fault_;
    VectorRows rows_;
};

}  // namespace firth
