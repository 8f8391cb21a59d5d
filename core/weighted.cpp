#include "weighted.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "clones.hpp"
#include "logarithm.hpp"
#include "pages.hpp"
#include "tiling.hpp"

namespace firth {
namespace {

using EightFloats = float __attribute__((vector_size(kEight * sizeof(float))));

__attribute__((always_inline)) inline Eight load_floats(const float* from) {
    EightFloats narrow;
    std::memcpy(&narrow, from, sizeof narrow);
    return __builtin_convertvector(narrow, Eight);
}

__attribute__((always_inline)) inline void store_floats(float* to, Eight wide) {
    const auto narrow = __builtin_convertvector(wide, EightFloats);
    std::memcpy(to, &narrow, sizeof narrow);
}

__attribute__((always_inline)) inline void store_eight(double* to, Eight values) {
    std::memcpy(to, &values, sizeof values);
}

__attribute__((always_inline)) inline double sum_of(Eight values) {
    double sum = 0;
    for (std::size_t k = 0; k < kEight; ++k) sum += values[k];
    return sum;
}

FIRTH_CLONES void accumulate(const float* from, double* to, std::size_t size) {
    for (std::size_t k = 0; k < size; k += kEight)
        store_eight(to + k, load_eight(to + k) + load_floats(from + k));
}

// What weighs on a row whatever is seen: the diagonal z g + λ m, and z b.
struct Prior {
    double z;
    double lambda;
    const double* spread;  // g
    const double* ridge;   // m
    const double* pull;    // b

    __attribute__((always_inline)) Eight diagonal(std::size_t k) const {
        return load_eight(spread + k) * z + load_eight(ridge + k) * lambda;
    }
};

// Adds the prior's part to a residual, takes it as the first direction, and returns what the prior
// weighs at u, but for the constant.
FIRTH_CLONES double begin_row(const Prior& prior, const float* u, double* residual,
                              float* direction, std::size_t size) {
    Eight loss = {};
    for (std::size_t k = 0; k < size; k += kEight) {
        const Eight at = load_floats(u + k);
        const Eight pulled = load_eight(prior.pull + k) * prior.z;
        const Eight held = prior.diagonal(k) * at;
        loss += at * (held - 2.0 * pulled);
        const Eight sum = load_eight(residual + k) + (pulled - held);
        store_eight(residual + k, sum);
        store_floats(direction + k, sum);
    }
    return sum_of(loss);
}

// Adds the prior's part to the product with a direction; returns the direction's length in it.
FIRTH_CLONES double complete_product(const Prior& prior, const float* direction, double* product,
                                     std::size_t size) {
    Eight length = {};
    for (std::size_t k = 0; k < size; k += kEight) {
        const Eight p = load_floats(direction + k);
        const Eight sum = load_eight(product + k) + prior.diagonal(k) * p;
        store_eight(product + k, sum);
        length += p * sum;
    }
    return sum_of(length);
}

FIRTH_CLONES double inner(const float* a, const double* b, std::size_t size) {
    Eight sum = {};
    for (std::size_t k = 0; k < size; k += kEight) sum += load_floats(a + k) * load_eight(b + k);
    return sum_of(sum);
}

FIRTH_CLONES double squared(const double* a, std::size_t size) {
    Eight sum = {};
    for (std::size_t k = 0; k < size; k += kEight) {
        const Eight values = load_eight(a + k);
        sum += values * values;
    }
    return sum_of(sum);
}

FIRTH_CLONES void add_multiple(double factor, const float* direction, float* u, std::size_t size) {
    for (std::size_t k = 0; k < size; k += kEight)
        store_floats(u + k, load_floats(u + k) + load_floats(direction + k) * factor);
}

FIRTH_CLONES void subtract_multiple(double factor, const double* product, double* residual,
                                    std::size_t size) {
    for (std::size_t k = 0; k < size; k += kEight)
        store_eight(residual + k, load_eight(residual + k) - load_eight(product + k) * factor);
}

FIRTH_CLONES void turn(double factor, const double* residual, float* direction, std::size_t size) {
    for (std::size_t k = 0; k < size; k += kEight)
        store_floats(direction + k, load_eight(residual + k) + load_floats(direction + k) * factor);
}

// h = z z_j (t - τ) in place of z_j, for a multiple of eight; returns Σ h (t - τ).
FIRTH_CLONES double scale_pulls(float z, float target, const float* targets, float* pulls,
                                std::size_t size) {
    Eight sum = {};
    for (std::size_t k = 0; k < size; k += kEight) {
        EightFloats above;
        EightFloats pull;
        std::memcpy(&above, targets + k, sizeof above);
        std::memcpy(&pull, pulls + k, sizeof pull);
        above -= target;
        pull *= z * above;
        std::memcpy(pulls + k, &pull, sizeof pull);
        sum += __builtin_convertvector(pull * above, Eight);
    }
    return sum_of(sum);
}

// One worker: solves groups of rows, with memory that grows to what the largest needs.
class Solver {
  public:
    Solver(const Observed& observed, const Side& side, const Unseen& unseen, const Ridge& ridge,
           Simd simd)
        : observed_(observed), side_(side), unseen_(unseen), ridge_(ridge), simd_(simd) {
        for (auto* buffer : {&targets_, &pulls_}) buffer->resize(kPiece);
        sum_.resize(side.stride);
    }

    void solve(const Tiles& tiles, const Group& group, std::size_t steps, double* before,
               double* after) {
        tiles.edges(group, edges_);
        begin(tiles, group);
        const std::size_t count = group.rows.size();
        for (std::size_t r = 0; r < count; ++r) before[group.rows[r]] = states_[r].loss;
        for (std::size_t step = 1; step <= steps; ++step) {
            if (step < steps) {
                multiply(group);
            } else {
                measure(group);
            }
            for (std::size_t r = 0; r < count; ++r) advance(r, step == steps);
        }
        for (std::size_t r = 0; r < count; ++r) after[group.rows[r]] = states_[r].loss;
    }

  private:
    struct State {
        Prior prior;
        float* u;
        double loss;
        double length;  // of the direction, in the rows' weights
        double square;  // of the residual
    };

    double* residual(std::size_t r) { return residuals_.data() + r * side_.stride; }
    double* product(std::size_t r) { return products_.data() + r * side_.stride; }
    float* direction(std::size_t r) { return directions_.data() + r * side_.stride; }

    // Calls visit(r, first, count, weights) for every piece of every row, tile by tile, with room
    // for the piece's weights, which is the same each time.
    template <class Visit>
    void each_piece(const Group& group, const Visit& visit) {
        const std::size_t count = group.rows.size();
        float* weights = weights_.data();
        for (std::size_t edge = 0; edge + count < edges_.size(); ++edge) {
            const std::int64_t end = edges_[edge + count];
            for (std::int64_t first = edges_[edge]; first < end; first += kPiece) {
                const std::size_t size = std::min<std::size_t>(kPiece, end - first);
                visit(edge % count, first, size, weights);
                weights += (size + kBlock - 1) / kBlock * kBlock;
            }
        }
    }

    Gathered gathered(std::int64_t first, std::size_t count, bool ahead) const {
        return {side_.other, side_.stride, observed_.columns() + first, count, ahead};
    }

    // Starts every row: its weights, its residual and its loss.
    void begin(const Tiles& tiles, const Group& group) {
        const std::size_t count = group.rows.size();
        weights_.reserve(tiles.padded(group, edges_));
        residuals_.resize(count * side_.stride);
        products_.resize(count * side_.stride);
        directions_.resize(count * side_.stride);
        std::fill_n(residuals_.data(), count * side_.stride, 0.0);
        states_.resize(count);
        for (std::size_t r = 0; r < count; ++r) {
            const std::size_t row = group.rows[r];
            const Prior prior{unseen_.of_row[row], ridge_.of_row[row], unseen_.diagonal,
                              ridge_.diagonal, unseen_.pull};
            states_[r] = {prior, side_.rows + row * side_.stride, 0, 0, 0};
        }
        each_piece(group, [&](std::size_t r, std::int64_t first, std::size_t size, float* weights) {
            State& state = states_[r];
            const std::size_t padded = (size + kBlock - 1) / kBlock * kBlock;
            observed_.cells(group.rows[r], first, size, weights, targets_.data());
            std::fill(weights + size, weights + padded, 0.0F);
            std::fill(targets_.data() + size, targets_.data() + padded, 0.0F);
            state.loss -= correct(state.prior.z, first, size, padded);
            std::fill_n(sum_.data(), side_.stride, 0.0F);
            const Terms terms{weights, targets_.data(), pulls_.data()};
            state.loss += add_residuals(simd_, gathered(first, size, !group.tiled), terms, state.u,
                                        sum_.data());
            accumulate(sum_.data(), residual(r), side_.stride);
        });
        for (std::size_t r = 0; r < count; ++r) {
            State& state = states_[r];
            state.loss += begin_row(state.prior, state.u, residual(r), direction(r), side_.stride) +
                          state.prior.z * unseen_.constant;
            state.square = squared(residual(r), side_.stride);
        }
    }

    // What takes the unseen pairs' part back from a piece of seen ones: fills in pulls, and takes
    // the offsets from the targets. Returns what their losses lack.
    double correct(double z, std::int64_t first, std::size_t count, std::size_t padded) {
        const std::int32_t* const columns = observed_.columns() + first;
        float* const pulls = pulls_.data();
        float* const targets = targets_.data();
        double lacking = 0;
        std::fill_n(pulls, padded, 0.0F);
        if (unseen_.of_column != nullptr) {
            for (std::size_t k = 0; k < count; ++k) pulls[k] = unseen_.of_column[columns[k]];
            lacking = scale_pulls(static_cast<float>(z), unseen_.target, targets, pulls, padded);
        }
        if (side_.offsets != nullptr)
            for (std::size_t k = 0; k < count; ++k) targets[k] -= side_.offsets[columns[k]];
        return lacking;
    }

    // The products of all rows' matrices with their directions.
    void multiply(const Group& group) {
        std::fill_n(products_.data(), states_.size() * side_.stride, 0.0);
        each_piece(group, [&](std::size_t r, std::int64_t first, std::size_t size, float* weights) {
            std::fill_n(sum_.data(), side_.stride, 0.0F);
            add_products(simd_, gathered(first, size, false), weights, direction(r), sum_.data());
            accumulate(sum_.data(), product(r), side_.stride);
        });
        for (std::size_t r = 0; r < states_.size(); ++r)
            states_[r].length =
                complete_product(states_[r].prior, direction(r), product(r), side_.stride);
    }

    // Only the directions' lengths, which is all that a last step needs.
    void measure(const Group& group) {
        std::fill_n(products_.data(), states_.size() * side_.stride, 0.0);
        for (std::size_t r = 0; r < states_.size(); ++r)
            states_[r].length =
                complete_product(states_[r].prior, direction(r), product(r), side_.stride);
        each_piece(group, [&](std::size_t r, std::int64_t first, std::size_t size, float* weights) {
            states_[r].length +=
                squared_length(simd_, gathered(first, size, false), weights, direction(r));
        });
    }

    // A step along a row's direction to where its loss is least, and the next direction.
    void advance(std::size_t r, bool last) {
        State& state = states_[r];
        if (!(state.square > 0) || !(state.length > 0)) return;
        const double slope = inner(direction(r), residual(r), side_.stride);
        const double step = slope / state.length;
        add_multiple(step, direction(r), state.u, side_.stride);
        state.loss -= step * slope;
        if (last) return;
        subtract_multiple(step, product(r), residual(r), side_.stride);
        const double square = squared(residual(r), side_.stride);
        turn(square / state.square, residual(r), direction(r), side_.stride);
        state.square = square;
    }

    const Observed& observed_;
    const Side& side_;
    const Unseen& unseen_;
    const Ridge& ridge_;
    Simd simd_;
    std::vector<State> states_;
    std::vector<std::int64_t> edges_;
    Pages<float> weights_;
    Pages<float> targets_;
    Pages<float> pulls_;
    Pages<float> sum_;
    Pages<double> residuals_;
    Pages<double> products_;
    Pages<float> directions_;
};

}  // namespace

void solve_rows(const Observed& observed, const Side& side, const Unseen& unseen,
                const Ridge& ridge, std::size_t steps, double* before, double* after, Simd simd,
                unsigned threads, const Poll& poll) {
    const Tiles tiles(observed, side.stride);
    std::vector<std::unique_ptr<Solver>> solvers(std::max(threads, 1U));
    parallel_for(
        tiles.groups(), threads,
        [&](std::size_t item, unsigned worker, Loop&) {
            auto& solver = solvers[worker];
            if (!solver) solver = std::make_unique<Solver>(observed, side, unseen, ridge, simd);
            tiles.each_group(item, [&](const Group& group) {
                solver->solve(tiles, group, steps, before, after);
            });
        },
        poll);
}

}  // namespace firth
