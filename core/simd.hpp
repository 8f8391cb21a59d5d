// Which vector instructions a kernel uses that is written for each of them: where the registers'
// length shapes the code, and not only the instructions, the clones of clones.hpp do not suffice.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#define FIRTH_SIMD_X86 1
#endif

namespace firth {

enum class Simd : std::uint8_t { baseline, avx2, avx512 };

// The widest that this machine has, or the one that a build for tests is restricted to.
inline Simd widest_simd() noexcept {
#if defined(FIRTH_NO_CLONES)
    return Simd::baseline;
#elif defined(FIRTH_ONLY)
    return FIRTH_ONLY[3] == '5' ? Simd::avx512 : Simd::avx2;
#elif defined(FIRTH_SIMD_X86)
    static const Simd found = [] {
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512f") != 0) return Simd::avx512;
        const bool fused =
            __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
        return fused ? Simd::avx2 : Simd::baseline;
    }();
    return found;
#else
    return Simd::baseline;
#endif
}

}  // namespace firth
