// The types of a whole corpus, merged part by part, and their order.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "types.hpp"

namespace firth {

class Lexicon {
  public:
    // Adds the types of one part, given as concatenated text, the end of each type in it, and
    // counts; writes the corpus-wide id of each type to `ids`. Throws if ends are malformed, a
    // count is negative, or a sum exceeds 63 bits.
    void merge(std::string_view text, const std::uint64_t* ends, const std::int64_t* counts,
               std::size_t size, std::uint32_t* ids);

    // Returns the ids of the types that occur at least `least` times, by decreasing count, then by
    // code point (which is byte order in UTF-8). The order does not depend on which part came
    // first.
    std::vector<std::uint32_t> order(std::int64_t least) const;

    const Types& types() const noexcept { return types_; }
    Types& types() noexcept { return types_; }

  private:
    Types types_;
};

}  // namespace firth
