// A greedy averaged perceptron that tags the words of sentences from left to right.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallel.hpp"

namespace firth {

// Sentences as a tagger sees them. A token has binary features, and a vector for each of `slots`
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

// Weights come in rows of `width` numbers, of which the first `tags` are used: one row for each
// feature; for each tag before (the last is the edge of the sentence); for each pair of the tags
// one and two before; for each entry of the vector of each slot.
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

// Goes through the sentences in the given order once, with the right tags as the history, and
// changes the weights where it errs: up for the right tag, down for the predicted one.
// `totals` gathers each change times the steps (tokens) made before it, so that the mean of the
// weights after all of C steps is weights - totals / C. Ties go to the first tag. Returns the
// number of errors; `step` counts on.
std::size_t perceptron_epoch(const TaggingTokens& tokens, const TaggingWeights& shape,
                             const std::int32_t* gold, const std::int64_t* order, double* weights,
                             double* totals, std::int64_t& step, const Poll& poll);

// Tags every token. allowed[before × tags + tag] says which tags may follow a tag or the edge.
void perceptron_tag(const TaggingTokens& tokens, const TaggingWeights& shape, const double* weights,
                    const std::uint8_t* allowed, std::int32_t* tags, const Poll& poll);

}  // namespace firth
