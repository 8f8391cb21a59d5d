// A greedy averaged perceptron that tags the words of sentences from left to right.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallel.hpp"

namespace firth {

// The input of a tagger. A token has binary features, and one vector (or none) for each of `slots`
// words around it.
struct TaggingTokens {
    const std::int64_t* sentences;  // the first token of each, and the end of the last
    std::size_t count;              // of sentences
    const std::int64_t* starts;     // the first feature of each token, and the end of the last
    const std::int32_t* features;
    const std::int32_t* rows;  // `slots` rows of the table for each token; -1 for no vector
    std::size_t slots;
    const float* table;
    std::size_t dim;
};

// The layout of the weights: rows of `width` numbers, of which the first `tags` are used. There is
// one row for each feature; for each previous tag (the last is the start of the sentence); for each
// pair of the previous two tags; and for each entry of the vector of each slot.
struct TaggingWeights {
    std::size_t features;
    std::size_t tags;
    std::size_t width;  // a multiple of kLanes

    std::size_t history() const { return features; }
    std::size_t pairs() const { return history() + tags + 1; }
    std::size_t entries() const { return pairs() + (tags + 1) * (tags + 1); }
    std::size_t rows(std::size_t slots, std::size_t dim) const { return entries() + slots * dim; }
};

inline constexpr std::size_t kLanes = 8;

// Trains for one epoch over the sentences in the given order, with the right tags as history. After
// an error, the weights of the right tag increase and those of the predicted tag decrease. `totals`
// sums each change times the number of steps (tokens) before it, so that the mean of the weights
// after each of C steps is weights - totals / C. Ties go to the first tag. Returns the number of
// errors; advances `step`.
std::size_t perceptron_epoch(const TaggingTokens& tokens, const TaggingWeights& shape,
                             const std::int32_t* gold, const std::int64_t* order, double* weights,
                             double* totals, std::int64_t& step, const Poll& poll);

// Tags every token. allowed[before × tags + tag] says whether a tag may follow another, or the
// start of the sentence (before = tags).
void perceptron_tag(const TaggingTokens& tokens, const TaggingWeights& shape, const double* weights,
                    const std::uint8_t* allowed, std::int32_t* tags, const Poll& poll);

}  // namespace firth
