// Powers of eight numbers at a time.
#pragma once

#include "logarithm.hpp"

namespace firth {

// For x within ±700. x = k ln 2 + r with r within ±½ ln 2, whose exponential is its Taylor series:
// the next term would be 1e-14 of the sum.
__attribute__((always_inline)) inline Eight exp_eight(Eight x) {
    using Bits = std::uint64_t __attribute__((vector_size(kEight * sizeof(std::uint64_t))));
    constexpr double kMagic = 6755399441055744.0;  // 1.5 · 2^52: adding it rounds to an integer
    const Eight shifted = x * 1.4426950408889634 + kMagic;
    const Eight k = shifted - kMagic;
    const Eight r = (x - k * 0.6931471805598903) - k * 5.497923018708371e-14;
    Eight series = r * (1.0 / 39916800) + 1.0 / 3628800;
    series = series * r + 1.0 / 362880;
    series = series * r + 1.0 / 40320;
    series = series * r + 1.0 / 5040;
    series = series * r + 1.0 / 720;
    series = series * r + 1.0 / 120;
    series = series * r + 1.0 / 24;
    series = series * r + 1.0 / 6;
    series = series * r + 0.5;
    series = series * r + 1.0;
    series = series * r + 1.0;
    Bits exponent;
    Bits bits;
    std::memcpy(&exponent, &shifted, sizeof exponent);
    std::memcpy(&bits, &series, sizeof bits);
    bits += exponent << 52;  // what the magic number holds above falls out
    std::memcpy(&series, &bits, sizeof series);
    return series;
}

// For normal numbers above 0.
__attribute__((always_inline)) inline Eight power_eight(Eight x, double exponent) {
    return exp_eight(log_eight(x) * exponent);
}

}  // namespace firth
