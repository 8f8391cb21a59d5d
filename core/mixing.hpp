// A hash of a number (the steps of D. Stafford's mixer).
#pragma once

#include <cstdint>

namespace firth {

inline std::uint64_t mixed(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

}  // namespace firth
