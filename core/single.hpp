// Logarithms of sixteen floats at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace firth {

inline constexpr std::size_t kSixteen = 16;
using Sixteen = float __attribute__((vector_size(kSixteen * sizeof(float))));

// Inlined into each version of a hot function, so that it has that version's instructions.
__attribute__((always_inline)) inline Sixteen load_sixteen(const float* from) {
    Sixteen out;
    std::memcpy(&out, from, sizeof out);
    return out;
}

// ln(1 + x) for x of 0 or more, to two units in the last place. 1 + x = m 2^k with m within
// [√½, √2], whose logarithm is 2 artanh t, t = (m - 1) / (m + 1), by its series: the next term
// would be 2e-9 of the sum. What 1 + x is rounded by is put back.
__attribute__((always_inline)) inline Sixteen log1p_sixteen(Sixteen x) {
    using Bits = std::int32_t __attribute__((vector_size(kSixteen * sizeof(std::int32_t))));
    constexpr std::int32_t kOne = 0x3f800000;
    constexpr std::int32_t kRoot = 0x3f350000;  // a little below √½
    const Sixteen sum = 1.0F + x;
    Bits bits;
    std::memcpy(&bits, &sum, sizeof bits);
    bits += kOne - kRoot;
    const Sixteen k = __builtin_convertvector((bits >> 23) - 127, Sixteen);
    bits = (bits & 0x007fffff) + kRoot;
    Sixteen m;
    std::memcpy(&m, &bits, sizeof m);
    const Sixteen t = (m - 1.0F) / (m + 1.0F);
    const Sixteen s = t * t;
    Sixteen series = s * (2.0F / 9) + 2.0F / 7;
    series = series * s + 2.0F / 5;
    series = series * s + 2.0F / 3;
    series = series * s + 2.0F;
    return k * 0.6931472F + (t * series + (x - (sum - 1.0F)) / sum);
}

}  // namespace firth
