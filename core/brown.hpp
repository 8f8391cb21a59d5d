// Brown's clustering: P. Brown, P. deSouza, R. Mercer, V. Della Pietra and J. Lai (1992),
// Class-based n-gram models of natural language; with the bookkeeping of P. Liang (2005),
// Semi-supervised learning for natural language.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallel.hpp"
#include "ward.hpp"

namespace firth {

// How often each word is followed by each other word, in compressed rows; or the transpose.
struct Followers {
    const std::int64_t* starts;
    const std::int32_t* columns;
    const double* counts;
};

// Clusters words, which enter one by one. Whenever there are more than `active` clusters, the two
// whose union loses least of Σ n(c, c') ln(n(c, c') N / (n(c) n(c'))), over all pairs of active
// clusters, become one; at the end all are merged. `frequencies` are the n of the words, each 1 or
// more. Losses that differ by less than kRounding N (1 + ln N) are equal; of equal pairs, the one
// with the smallest (older, younger) node is merged. Costs are losses divided by N.
Tree brown(const Followers& after, const Followers& before, const double* frequencies,
           std::size_t words, std::size_t active, unsigned threads, const Poll& poll);

}  // namespace firth
