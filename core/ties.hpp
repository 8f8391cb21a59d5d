// The tolerances within which two values are tied. Ties are decided by the order of the vocabulary.
#pragma once

namespace firth {

// The tolerance of cosines (absolute) and of distances (relative to the longest vector). Vectors
// have single precision, and kinds of processors differ in the order of their sums. Values that
// are equal by symmetry differed by up to 2e-7; the tolerance is five times that.
inline constexpr double kTie = 1e-6;

// The tolerance of values computed in double precision from counts, relative to their terms.
inline constexpr double kRounding = 1e-12;

}  // namespace firth
