// Vectors as word2vec writes them in binary: a word, a space, float32 numbers, and often a newline.
#pragma once

#include <cstddef>
#include <string_view>

#include "vectors.hpp"

namespace firth {

inline constexpr std::size_t kLongestWord = 64 << 10;  // bytes

class VectorBinary {
  public:
    explicit VectorBinary(std::size_t dimension);

    // Reads the whole rows that `bytes` begins with, and returns how many bytes they take: the rest
    // is to be given again, with more after it, unless it is the `last` of the file. Newlines
    // before a word and at the end are passed over. After a fault nothing may be added.
    std::size_t add(std::string_view bytes, bool last);

    const VectorFault& fault() const noexcept { return fault_; }
    VectorRows& rows() noexcept { return rows_; }

  private:
    std::size_t dimension_;
    VectorFault fault_;
    VectorRows rows_;
};

}  // namespace firth
