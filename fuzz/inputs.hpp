// Seeded random inputs, and the loop that runs a fuzz program over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace firth::fuzz {

// Input i of a seed does not depend on what ran before it, so that a failure can be run again
// alone.
class Random {
  public:
    Random(std::uint64_t seed, std::uint64_t input) : state_(seed * 0x9E3779B97F4A7C15U + input) {
        next();
    }

    // SplitMix64 (Steele, Lea and Flood, 2014).
    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }
    // A number below n, which is at least 1.
    std::size_t below(std::size_t n) noexcept { return static_cast<std::size_t>(next() % n); }
    std::size_t between(std::size_t least, std::size_t most) noexcept {
        return least + below(most - least + 1);
    }
    bool one_in(std::size_t n) noexcept { return below(n) == 0; }
    template <class Array>
    const auto& pick(const Array& from) noexcept {
        return from[below(std::size(from))];
    }

  private:
    std::uint64_t state_;
};

// A result that differs from the oracle's.
struct Wrong : std::logic_error {
    using std::logic_error::logic_error;
};

inline void check(bool holds, const char* what) {
    if (!holds) throw Wrong(what);
}

// The main function of a program: PROGRAM INPUTS SEED [FIRST]. Runs `one` on each input; an
// exception from it is a failure. Returns the exit status.
int run(int argc, char** argv, void (*one)(Random&));

}  // namespace firth::fuzz
