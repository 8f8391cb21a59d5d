// Logarithms of eight numbers at a time: x ln x, the terms of mutual information, and ln(1 + x).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace firth {

inline constexpr std::size_t kEight = 8;
using Eight = double __attribute__((vector_size(kEight * sizeof(double))));

// Always inlined, so that each clone of a hot function compiles it for its own instruction set.
__attribute__((always_inline)) inline Eight load_eight(const double* from) {
    Eight out;
    std::memcpy(&out, from, sizeof out);
    return out;
}

// Natural logarithm of normal numbers above 0; the result for 0 is finite. x = m 2^k with m in [√½,
// √2], and ln m = 2 artanh t with t = (m - 1) / (m + 1), by its series. The first term left out is
// 1e-15 of the sum.
__attribute__((always_inline)) inline Eight log_eight(Eight x) {
    using Bits = std::uint64_t __attribute__((vector_size(kEight * sizeof(std::uint64_t))));
    constexpr std::uint64_t kOne = 0x3ff0000000000000;
    constexpr std::uint64_t kRoot = 0x3fe6a09e00000000;   // a little below √½
    constexpr std::uint64_t kMagic = 0x4338000000000000;  // the bits of 1.5 · 2^52
    Bits bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits += kOne - kRoot;
    const Bits scaled = (bits >> 52) - 0x3ff + kMagic;
    bits = (bits & 0x000fffffffffffff) + kRoot;
    Eight k;
    Eight m;
    std::memcpy(&k, &scaled, sizeof k);
    std::memcpy(&m, &bits, sizeof m);
    k -= 6755399441055744.0;
    const Eight t = (m - 1.0) / (m + 1.0);
    const Eight s = t * t;
    Eight series = s * (2.0 / 17) + 2.0 / 15;
    series = series * s + 2.0 / 13;
    series = series * s + 2.0 / 11;
    series = series * s + 2.0 / 9;
    series = series * s + 2.0 / 7;
    series = series * s + 2.0 / 5;
    series = series * s + 2.0 / 3;
    series = series * s + 2.0;
    return k * 0.6931471805599453 + t * series;
}

// For 0 and for normal numbers above 0.
__attribute__((always_inline)) inline Eight x_log_x(Eight x) { return x * log_eight(x); }

// For x of 0 or more. The second term corrects the rounding of 1 + x.
__attribute__((always_inline)) inline Eight log1p_eight(Eight x) {
    const Eight sum = 1.0 + x;
    return log_eight(sum) + (x - (sum - 1.0)) / sum;
}

}  // namespace firth
