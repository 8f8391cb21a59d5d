// When two numbers are equal: what counts as a tie, which the order of the vocabulary then decides.
#pragma once

namespace firth {

// Cosines within this of each other are tied, and so are distances within this share of the longest
// vector: vectors have single precision, and every kind of processor sums in an order of its own.
// What is equal by symmetry was found to differ by 2e-7; the tolerance is five times as much.
inline constexpr double kTie = 1e-6;

// Of what is computed in double precision from whole numbers, relative to its terms.
inline constexpr double kRounding = 1e-12;

}  // namespace firth
