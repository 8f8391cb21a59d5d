#include "perceptron.hpp"

#include <cstring>
#include <vector>

#include "clones.hpp"

namespace firth {
namespace {

using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

// Sentences between two polls.
constexpr std::size_t kPolled = 256;

// A token: its features, its vectors and the rows of the weights of the tags before it.
struct Token {
    const std::int32_t* features;
    const std::int32_t* end;
    const std::int32_t* rows;
    std::size_t before;
    std::size_t pair;
};

Token token_at(const TaggingTokens& tokens, const TaggingWeights& shape, std::size_t at,
               std::size_t one, std::size_t two) {
    return {tokens.features + tokens.starts[at], tokens.features + tokens.starts[at + 1],
            tokens.rows + at * tokens.slots, shape.history() + one,
            shape.pairs() + one * (shape.tags + 1) + two};
}

// Computes the scores of eight tags at a time, adding rows in a fixed order.
FIRTH_CLONES void score(const TaggingTokens& tokens, const TaggingWeights& shape,
                        const Token& token, const double* weights, double* scores) {
    for (std::size_t lane = 0; lane < shape.width; lane += kLanes) {
        const double* const from = weights + lane;
        Lanes sum;
        Lanes row;
        std::memcpy(&sum, from + token.before * shape.width, sizeof sum);
        std::memcpy(&row, from + token.pair * shape.width, sizeof row);
        sum += row;
        for (const std::int32_t* f = token.features; f < token.end; ++f) {
            std::memcpy(&row, from + static_cast<std::size_t>(*f) * shape.width, sizeof row);
            sum += row;
        }
        for (std::size_t slot = 0; slot < tokens.slots; ++slot) {
            if (token.rows[slot] < 0) continue;
            const float* x = tokens.table + static_cast<std::size_t>(token.rows[slot]) * tokens.dim;
            const double* entry = from + (shape.entries() + slot * tokens.dim) * shape.width;
            for (std::size_t k = 0; k < tokens.dim; ++k, entry += shape.width) {
                std::memcpy(&row, entry, sizeof row);
                sum += static_cast<double>(x[k]) * row;
            }
        }
        std::memcpy(scores + lane, &sum, sizeof sum);
    }
}

// One update of the weights, away from the predicted tag and towards the right one.
struct Change {
    double* weights;
    double* totals;
    double steps;
    std::size_t width;
    std::size_t right;
    std::size_t wrong;

    void operator()(std::size_t row, double by) const {
        weights[row * width + right] += by;
        weights[row * width + wrong] -= by;
        totals[row * width + right] += steps * by;
        totals[row * width + wrong] -= steps * by;
    }
};

void learn(const TaggingTokens& tokens, const TaggingWeights& shape, const Token& token,
           const Change& change) {
    change(token.before, 1.0);
    change(token.pair, 1.0);
    for (const std::int32_t* f = token.features; f < token.end; ++f)
        change(static_cast<std::size_t>(*f), 1.0);
    for (std::size_t slot = 0; slot < tokens.slots; ++slot) {
        if (token.rows[slot] < 0) continue;
        const float* x = tokens.table + static_cast<std::size_t>(token.rows[slot]) * tokens.dim;
        for (std::size_t k = 0; k < tokens.dim; ++k)
            change(shape.entries() + slot * tokens.dim + k, static_cast<double>(x[k]));
    }
}

}  // namespace

std::size_t perceptron_epoch(const TaggingTokens& tokens, const TaggingWeights& shape,
                             const std::int32_t* gold, const std::int64_t* order, double* weights,
                             double* totals, std::int64_t& step, const Poll& poll) {
    std::vector<double> scores(shape.width);
    std::size_t errors = 0;
    for (std::size_t done = 0; done < tokens.count; ++done) {
        if (poll && done % kPolled == 0) poll(done, tokens.count);
        const auto sentence = static_cast<std::size_t>(order[done]);
        const auto end = static_cast<std::size_t>(tokens.sentences[sentence + 1]);
        std::size_t one = shape.tags;
        std::size_t two = shape.tags;
        for (auto at = static_cast<std::size_t>(tokens.sentences[sentence]); at < end; ++at) {
            const Token token = token_at(tokens, shape, at, one, two);
            score(tokens, shape, token, weights, scores.data());
            std::size_t best = 0;
            for (std::size_t tag = 1; tag < shape.tags; ++tag)
                if (scores[tag] > scores[best]) best = tag;
            const auto right = static_cast<std::size_t>(gold[at]);
            if (best != right) {
                ++errors;
                learn(tokens, shape, token,
                      {weights, totals, static_cast<double>(step), shape.width, right, best});
            }
            ++step;
            two = one;
            one = right;
        }
    }
    return errors;
}

void perceptron_tag(const TaggingTokens& tokens, const TaggingWeights& shape, const double* weights,
                    const std::uint8_t* allowed, std::int32_t* tags, const Poll& poll) {
    std::vector<double> scores(shape.width);
    for (std::size_t sentence = 0; sentence < tokens.count; ++sentence) {
        if (poll && sentence % kPolled == 0) poll(sentence, tokens.count);
        const auto end = static_cast<std::size_t>(tokens.sentences[sentence + 1]);
        std::size_t one = shape.tags;
        std::size_t two = shape.tags;
        for (auto at = static_cast<std::size_t>(tokens.sentences[sentence]); at < end; ++at) {
            score(tokens, shape, token_at(tokens, shape, at, one, two), weights, scores.data());
            std::size_t best = shape.tags;
            for (std::size_t tag = 0; tag < shape.tags; ++tag)
                if (allowed[one * shape.tags + tag] != 0 &&
                    (best == shape.tags || scores[tag] > scores[best]))
                    best = tag;
            tags[at] = static_cast<std::int32_t>(best);
            two = one;
            one = best;
        }
    }
}

}  // namespace firth
