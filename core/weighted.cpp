#include "weighted.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "conjugate.hpp"
#include "pages.hpp"
#include "tiling.hpp"

namespace firth {
namespace {

// A direction in which the loss bends less than this, beside a bound on how much it can bend at
// all, is one that rounding alone has found: nothing that is seen or held tells where its minimum
// is.
constexpr double kFlat = 1e-11;

// One worker: solves groups of rows, with memory that grows to what the largest needs.
class Solver {
  public:
    Solver(const ObservedBlocks& observed, const Side& side, const Unseen& unseen,
           const Ridge& ridge, const Course& course, double longest, Simd simd)
        : observed_(observed),
          side_(side),
          unseen_(unseen),
          ridge_(ridge),
          course_(course),
          longest_(longest),
          simd_(simd) {
        for (auto* buffer : {&targets_, &pulls_}) buffer->resize(kPiece);
        sum_.resize(side.stride);
        most_spread_ = *std::max_element(unseen.diagonal, unseen.diagonal + side.stride);
        most_ridge_ = *std::max_element(ridge.diagonal, ridge.diagonal + side.stride);
    }

    void solve(const Tiles& tiles, const Group& group, double* before, double* after) {
        const auto& blocks = observed_.blocks();
        edges_.resize(blocks.size());
        far_ = false;
        for (std::size_t b = 0; b < blocks.size(); ++b)
            far_ = tiles.edges(group, *blocks[b].cells, edges_[b]) || far_;
        begin(group);
        const std::size_t count = group.rows.size();
        for (std::size_t r = 0; r < count; ++r) before[group.rows[r]] = states_[r].loss;
        for (std::size_t step = 1; step <= course_.steps; ++step) {
            const bool last = step == course_.steps;
            last ? measure(group) : multiply(group);
            for (std::size_t r = 0; r < count; ++r) advance(r, last);
        }
        // The objective is a parabola on the line from the start through the end of the steps.
        const double beyond = course_.relaxation - 1.0;
        for (std::size_t r = 0; r < count; ++r) {
            const double least = states_[r].loss;
            const std::size_t row = group.rows[r];
            after[row] = least + beyond * beyond * (before[row] - least);
        }
    }

  private:
    struct State {
        Prior prior;
        float* u;
        double loss;
        double weight;  // of all that is seen
        double length;  // of the direction, in the rows' weights
        double square;  // of the residual
    };

    double* residual(std::size_t r) { return residuals_.data() + r * side_.stride; }
    double* product(std::size_t r) { return products_.data() + r * side_.stride; }
    float* direction(std::size_t r) { return directions_.data() + r * side_.stride; }

    using Block = ObservedBlocks::Block;

    // Calls visit(block, r, first, count, weights) for every piece of every row, tile by tile, with
    // room for the piece's weights, which is the same each time. Cells that are read for the
    // `first_time` lie far away.
    template <class Visit>
    void each_piece(const Group& group, bool first_time, const Visit& visit) {
        float* weights = weights_.data();
        for (std::size_t b = 0; b < edges_.size(); ++b)
            each_of(observed_.blocks()[b], edges_[b], group.rows.size(), first_time, weights,
                    visit);
    }

    // The same for the pieces in one block.
    template <class Visit>
    static void each_of(const Block& block, const std::vector<std::int64_t>& edges,
                        std::size_t count, bool first_time, float*& weights, const Visit& visit) {
        for (std::size_t edge = 0; edge + count < edges.size(); ++edge) {
            const std::int64_t end = edges[edge + count];
            if (first_time && edge + count + 1 < edges.size())
                block.cells->fetch(edges[edge + 1], edges[edge + count + 1]);
            for (std::int64_t first = edges[edge]; first < end; first += kPiece) {
                const std::size_t size = std::min<std::size_t>(kPiece, end - first);
                visit(block, edge % count, first, size, weights);
                weights += (size + kBlock - 1) / kBlock * kBlock;
            }
        }
    }

    Gathered gathered(const Block& block, std::int64_t first, std::size_t count, bool ahead) const {
        return {side_.other + block.first * side_.stride, side_.stride,
                block.cells->columns() + first, count, ahead};
    }

    // Starts every row: its weights, its residual and its loss.
    void begin(const Group& group) {
        const std::size_t count = group.rows.size();
        std::size_t room = 0;
        for (const auto& edges : edges_) room += Tiles::padded(group, edges);
        weights_.reserve(room);
        residuals_.resize(count * side_.stride);
        products_.resize(count * side_.stride);
        directions_.resize(count * side_.stride);
        std::fill_n(residuals_.data(), count * side_.stride, 0.0);
        states_.resize(count);
        for (std::size_t r = 0; r < count; ++r) {
            const std::size_t row = group.rows[r];
            const Prior prior{unseen_.of_row[row], ridge_.of_row[row], unseen_.diagonal,
                              ridge_.diagonal, unseen_.pull};
            states_[r] = {prior, side_.rows + row * side_.stride, 0, 0, 0, 0};
        }
        each_piece(group, true,
                   [&](const Block& block, std::size_t r, std::int64_t first, std::size_t size,
                       float* weights) { begin_piece(group, block, r, first, size, weights); });
        for (std::size_t r = 0; r < count; ++r) {
            State& state = states_[r];
            state.loss += begin_row(state.prior, state.u, residual(r), direction(r), side_.stride) +
                          state.prior.z * unseen_.constant;
            state.square = squared(residual(r), side_.stride);
        }
    }

    // Adds a piece of a row to its residual and its loss, and remembers its weights.
    void begin_piece(const Group& group, const Block& block, std::size_t r, std::int64_t first,
                     std::size_t size, float* weights) {
        State& state = states_[r];
        const std::size_t padded = (size + kBlock - 1) / kBlock * kBlock;
        block.cells->cells(group.rows[r], first, size, weights, targets_.data());
        std::fill(weights + size, weights + padded, 0.0F);
        std::fill(targets_.data() + size, targets_.data() + padded, 0.0F);
        state.loss -= correct(state.prior.z, block, first, size, padded);
        std::fill_n(sum_.data(), side_.stride, 0.0F);
        const Terms terms{weights, targets_.data(), pulls_.data()};
        const Loss found = add_residuals(simd_, gathered(block, first, size, far_ || !group.tiled),
                                         terms, state.u, sum_.data());
        state.loss += found.loss;
        state.weight += found.weight;
        accumulate(sum_.data(), residual(r), side_.stride);
    }

    // What takes the unseen pairs' part back from a piece of seen ones: fills in pulls, and takes
    // the offsets from the targets. Returns what their losses lack.
    double correct(double z, const Block& block, std::int64_t first, std::size_t count,
                   std::size_t padded) {
        const std::int32_t* const columns = block.cells->columns() + first;
        float* const pulls = pulls_.data();
        float* const targets = targets_.data();
        double lacking = 0;
        std::fill_n(pulls, padded, 0.0F);
        if (unseen_.of_column != nullptr) {
            const float* const of_column = unseen_.of_column + block.first;
            for (std::size_t k = 0; k < count; ++k) pulls[k] = of_column[columns[k]];
            lacking = scale_pulls(static_cast<float>(z), unseen_.target, targets, pulls, padded);
        }
        if (side_.offsets != nullptr) {
            const float* const offsets = side_.offsets + block.first;
            for (std::size_t k = 0; k < count; ++k) targets[k] -= offsets[columns[k]];
        }
        return lacking;
    }

    // The products of all rows' matrices with their directions.
    void multiply(const Group& group) {
        std::fill_n(products_.data(), states_.size() * side_.stride, 0.0);
        each_piece(group, false,
                   [&](const Block& block, std::size_t r, std::int64_t first, std::size_t size,
                       const float* weights) {
                       std::fill_n(sum_.data(), side_.stride, 0.0F);
                       add_products(simd_, gathered(block, first, size, far_), weights,
                                    direction(r), sum_.data());
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
        each_piece(group, false,
                   [&](const Block& block, std::size_t r, std::int64_t first, std::size_t size,
                       const float* weights) {
                       states_[r].length += squared_length(
                           simd_, gathered(block, first, size, far_), weights, direction(r));
                   });
    }

    // A step along a row's direction to where its loss is least, and the next direction.
    void advance(std::size_t r, bool last) {
        State& state = states_[r];
        const double bound = state.weight * longest_ + state.prior.z * most_spread_ +
                             state.prior.lambda * most_ridge_;
        const double least = kFlat * bound * squared(direction(r), side_.stride);
        if (!(state.square > 0) || !(state.length > least)) return;
        const double slope = inner(direction(r), residual(r), side_.stride);
        const double step = slope / state.length;
        add_multiple(course_.relaxation * step, direction(r), state.u, side_.stride);
        state.loss -= step * slope;
        if (last) return;
        subtract_multiple(step, product(r), residual(r), side_.stride);
        const double square = squared(residual(r), side_.stride);
        turn(square / state.square, residual(r), direction(r), side_.stride);
        state.square = square;
    }

    const ObservedBlocks& observed_;
    const Side& side_;
    const Unseen& unseen_;
    const Ridge& ridge_;
    const Course& course_;
    double longest_;  // squared, of the other side's rows
    double most_spread_ = 0;
    double most_ridge_ = 0;
    Simd simd_;
    bool far_ = false;  // the other side's rows do not stay in cache from one pass to the next
    std::vector<State> states_;
    std::vector<std::vector<std::int64_t>> edges_;  // of each block
    Pages<float> weights_;
    Pages<float> targets_;
    Pages<float> pulls_;
    Pages<float> sum_;
    Pages<double> residuals_;
    Pages<double> products_;
    Pages<float> directions_;
};

}  // namespace

void solve_rows(const ObservedBlocks& observed, const Side& side, const Unseen& unseen,
                const Ridge& ridge, const Course& course, double* before, double* after, Simd simd,
                unsigned threads, const Poll& poll) {
    const Tiles tiles(observed, side.stride);
    double longest = 0;
    for (std::size_t j = 0; j < observed.width(); ++j)
        longest = std::max(longest, squared(side.other + j * side.stride, side.stride));
    std::vector<std::unique_ptr<Solver>> solvers(std::max(threads, 1U));
    parallel_for(
        tiles.groups(), threads,
        [&](std::size_t item, unsigned worker, Loop&) {
            auto& solver = solvers[worker];
            if (!solver)
                solver =
                    std::make_unique<Solver>(observed, side, unseen, ridge, course, longest, simd);
            tiles.each_group(
                item, [&](const Group& group) { solver->solve(tiles, group, before, after); });
        },
        poll);
}

}  // namespace firth
