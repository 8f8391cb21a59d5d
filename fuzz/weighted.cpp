// Half sweeps of weighted least squares: on threads those of one thread bit for bit, and for every
// kind of instructions what a program in double precision finds that looks at every pair.
#include "weighted.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "inputs.hpp"

namespace firth::fuzz {
namespace {

using Doubles = std::vector<double>;

struct Problem {
    std::size_t rows = 0;
    std::size_t width = 0;
    std::size_t stride = kRowFloats;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns;
    std::vector<float> weights;
    std::vector<float> targets;
    std::vector<std::uint32_t> units;  // instead of weights and targets
    std::vector<std::uint64_t> wide_units;
    double power = 1;
    Doubles of_row;
    std::vector<float> of_column;
    std::vector<float> other;
    std::vector<float> start;
    std::vector<float> offsets;
    Doubles z;
    std::vector<float> y;
    Doubles diagonal;
    Doubles pull;
    double constant = 0;
    float floor = 0;
    Doubles lambda;
    Doubles ridge;
    std::size_t steps = 1;
    double relaxation = 1;
    bool seen_only = false;
    bool counted = false;
};

double uniform(Random& random) { return static_cast<double>(random.below(1000001)) / 1e6; }

float entry(Random& random) { return static_cast<float>(2 * uniform(random) - 1); }

template <class Number>
void fill(Random& random, std::vector<Number>& values, std::size_t size, double least) {
    values.resize(size);
    for (Number& value : values) value = static_cast<Number>(least + uniform(random));
}

void make_cells(Random& random, Problem& p) {
    const std::size_t share = random.between(1, 8);
    for (std::size_t i = 0; i < p.rows; ++i) {
        const bool empty = random.one_in(6);
        const bool full = random.one_in(6);
        for (std::size_t j = 0; j < p.width; ++j) {
            if (empty || !(full || random.one_in(share))) continue;
            p.columns.push_back(static_cast<std::int32_t>(j));
            p.weights.push_back(random.one_in(9) ? 0.0F : static_cast<float>(uniform(random)));
            p.targets.push_back(entry(random));
            p.units.push_back(static_cast<std::uint32_t>(random.between(1, 5000)));
            p.wide_units.push_back(p.units.back());
        }
        p.starts.push_back(static_cast<std::int64_t>(p.columns.size()));
    }
}

Problem make_problem(Random& random) {
    Problem p;
    p.rows = random.between(1, random.one_in(10) ? 70 : 8);
    p.width = random.between(1, random.one_in(10) ? 600 : 30);
    p.stride = kRowFloats * random.between(1, random.one_in(8) ? 10 : 2);
    make_cells(random, p);
    p.counted = random.one_in(2);
    const double powers[] = {0, 0.5, 0.75, 1};
    p.power = random.pick(powers);
    fill(random, p.of_row, p.rows, 0.1);
    fill(random, p.of_column, p.width, 0.1);
    p.other.resize(p.width * p.stride);
    p.start.resize(p.rows * p.stride);
    for (float& value : p.other) value = random.one_in(20) ? 0.0F : entry(random);
    if (!random.one_in(4))
        for (float& value : p.start) value = entry(random);
    if (random.one_in(2)) fill(random, p.offsets, p.width, -0.5);
    fill(random, p.z, p.rows, 0.0);
    p.seen_only = random.one_in(3);
    fill(random, p.y, p.width, 0.0);
    fill(random, p.diagonal, p.stride, 0.0);
    fill(random, p.pull, p.stride, -0.5);
    fill(random, p.lambda, p.rows, 0.0);
    fill(random, p.ridge, p.stride, 0.0);
    p.constant = uniform(random);
    p.floor = random.one_in(2) ? 0.0F : entry(random);
    p.steps = random.below(4);
    if (random.one_in(3)) p.relaxation = 0.1 + 1.8 * uniform(random);
    return p;
}

// A cell's weight and target.
std::pair<double, double> cell(const Problem& p, std::size_t row, std::size_t at) {
    if (!p.counted) return {p.weights[at], p.targets[at]};
    const double x = p.units[at] / 7.0;
    const double factor = p.of_column[static_cast<std::size_t>(p.columns[at])];
    return {std::pow(x, p.power), std::log1p(x * p.of_row[row] * factor)};
}

// The loss of a row at u, its residual, which is half the gradient turned round, and the size of
// the terms that they are sums of.
struct Slope {
    double loss = 0;
    double size = 0;
    Doubles residual;
};

Slope slope_of(const Problem& p, std::size_t row, const Doubles& u) {
    Slope out;
    out.residual.assign(p.stride, 0);
    const auto add = [&](double term) {
        out.loss += term;
        out.size += std::abs(term);
    };
    for (auto at = static_cast<std::size_t>(p.starts[row]);
         at < static_cast<std::size_t>(p.starts[row + 1]); ++at) {
        const auto column = static_cast<std::size_t>(p.columns[at]);
        const auto [weight, target] = cell(p, row, at);
        const double offset = p.offsets.empty() ? 0 : p.offsets[column];
        double model = offset;
        for (std::size_t k = 0; k < p.stride; ++k) model += u[k] * p.other[column * p.stride + k];
        const double spread = p.seen_only ? 0 : p.z[row] * p.y[column];
        add(weight * (model - target) * (model - target));
        add(spread * (model - target) * (model - target));
        add(-spread * (model - p.floor) * (model - p.floor));
        const double factor = weight * (target - model) + spread * (target - p.floor);
        for (std::size_t k = 0; k < p.stride; ++k)
            out.residual[k] += factor * p.other[column * p.stride + k];
    }
    for (std::size_t k = 0; k < p.stride; ++k) {
        const double held = p.z[row] * p.diagonal[k] + p.lambda[row] * p.ridge[k];
        add(held * u[k] * u[k]);
        add(-2 * p.z[row] * p.pull[k] * u[k]);
        out.residual[k] += p.z[row] * p.pull[k] - held * u[k];
    }
    add(p.z[row] * p.constant);
    return out;
}

// The product of a row's matrix with a direction: the loss is quadratic.
Doubles product(const Problem& p, std::size_t row, const Doubles& direction) {
    const Doubles none(p.stride, 0);
    const Slope here = slope_of(p, row, none);
    const Slope there = slope_of(p, row, direction);
    Doubles out(p.stride);
    for (std::size_t k = 0; k < p.stride; ++k) out[k] = here.residual[k] - there.residual[k];
    return out;
}

double inner(const Doubles& a, const Doubles& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
}

// Conjugate gradients as in a textbook.
double loss_after(const Problem& p, std::size_t row, Doubles u) {
    Doubles residual = slope_of(p, row, u).residual;
    Doubles direction = residual;
    for (std::size_t step = 0; step < p.steps; ++step) {
        const Doubles pushed = product(p, row, direction);
        const double length = inner(direction, pushed);
        const double square = inner(residual, residual);
        if (length < 1e-12 || square < 1e-12) break;
        for (std::size_t k = 0; k < p.stride; ++k) {
            u[k] += square / length * direction[k];
            residual[k] -= square / length * pushed[k];
        }
        const double turn = inner(residual, residual) / square;
        for (std::size_t k = 0; k < p.stride; ++k) direction[k] = residual[k] + turn * direction[k];
    }
    return slope_of(p, row, u).loss;
}

struct Solved {
    std::vector<float> rows;
    Doubles before;
    Doubles after;
};

// The columns [first, last) of a problem.
struct Cut {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns;
    std::vector<std::uint32_t> units;
    std::vector<std::uint64_t> wide_units;
    std::vector<float> weights;
    std::vector<float> targets;
    std::vector<float> of_column;
    std::unique_ptr<Observed> observed;

    Cut(const Problem& p, std::size_t first, std::size_t last, bool wide) {
        for (std::size_t row = 0; row < p.rows; ++row) {
            for (std::int64_t i = p.starts[row]; i < p.starts[row + 1]; ++i) {
                const auto cell = static_cast<std::size_t>(i);
                const auto column = static_cast<std::size_t>(p.columns[cell]);
                if (column < first || column >= last) continue;
                columns.push_back(static_cast<std::int32_t>(column - first));
                if (p.counted) {
                    units.push_back(p.units[cell]);
                    wide_units.push_back(p.wide_units[cell]);
                } else {
                    weights.push_back(p.weights[cell]);
                    targets.push_back(p.targets[cell]);
                }
            }
            starts.push_back(static_cast<std::int64_t>(columns.size()));
        }
        if (p.counted) {
            of_column.assign(p.of_column.begin() + static_cast<std::ptrdiff_t>(first),
                             p.of_column.begin() + static_cast<std::ptrdiff_t>(last));
            const void* const values = wide ? static_cast<const void*>(wide_units.data())
                                            : static_cast<const void*>(units.data());
            const CountRows counts{starts.data(), columns.data(), values,
                                   wide,          p.rows,         last - first};
            observed = std::make_unique<ObservedCounts>(counts, 7.0, p.power, p.of_row.data(),
                                                        of_column.data());
        } else {
            observed =
                std::make_unique<ObservedValues>(starts.data(), columns.data(), p.rows,
                                                 last - first, weights.data(), targets.data());
        }
    }
};

// Solves a problem whose columns are in two blocks, the first of `middle` columns, or in one.
Solved solve(const Problem& p, std::size_t middle, bool wide, Simd simd, unsigned threads) {
    Solved out{p.start, Doubles(p.rows, NAN), Doubles(p.rows, NAN)};
    std::vector<Cut> cuts;
    if (middle > 0) cuts.emplace_back(p, 0, middle, wide);
    cuts.emplace_back(p, middle, p.width, wide);
    std::vector<const Observed*> blocks;
    blocks.reserve(cuts.size());
    for (const Cut& cut : cuts) blocks.push_back(cut.observed.get());
    const Side side{p.other.data(), out.rows.data(), p.stride,
                    p.offsets.empty() ? nullptr : p.offsets.data()};
    const Unseen unseen{p.z.data(),        p.seen_only ? nullptr : p.y.data(),
                        p.diagonal.data(), p.pull.data(),
                        p.constant,        p.floor};
    solve_rows(ObservedBlocks(blocks), side, unseen, {p.lambda.data(), p.ridge.data()},
               {p.steps, p.relaxation}, out.before.data(), out.after.data(), simd, threads, {});
    return out;
}

bool near(double a, double b, double size) { return std::abs(a - b) <= 1e-4 * size + 1e-6; }

void check_row(const Problem& p, const Solved& solved, std::size_t row) {
    const auto begin = static_cast<std::ptrdiff_t>(row * p.stride);
    const auto end = begin + static_cast<std::ptrdiff_t>(p.stride);
    const Doubles before(p.start.begin() + begin, p.start.begin() + end);
    const Doubles after(solved.rows.begin() + begin, solved.rows.begin() + end);
    const Slope first = slope_of(p, row, before);
    const Slope last = slope_of(p, row, after);
    check(near(solved.before[row], first.loss, first.size), "another loss before");
    const double least = loss_after(p, row, before);
    // Directions are rounded to single precision, and so not quite conjugate: up to a hundredth of
    // what the steps take away, a relaxed step does not end where the formula of `after` says.
    const double beyond = p.relaxation - 1;
    const double slope = 100 * std::abs(beyond) * (first.loss - least);
    check(near(solved.after[row], last.loss, first.size + last.size + slope), "another loss after");
    check(solved.after[row] <= solved.before[row], "a loss that rises");
    // Only to the part of the loss that the steps take away: rounding bends later directions.
    const double best = least + beyond * beyond * (first.loss - least);
    check(std::abs(last.loss - best) <= 0.01 * (first.loss - best) + 1e-4 * first.size + 1e-5,
          "another way down");
}

void one(Random& random) {
    const Problem p = make_problem(random);
    const bool wide = random.one_in(2);
    const auto levels = static_cast<std::size_t>(widest_simd()) + 1;
    const auto simd = static_cast<Simd>(random.below(levels));
    const std::size_t middle = random.one_in(2) ? random.below(p.width) : 0;
    const Solved solved = solve(p, middle, wide, simd, static_cast<unsigned>(random.below(6)));
    const Solved alone = solve(p, middle, !wide, simd, 1);
    check(std::memcmp(solved.rows.data(), alone.rows.data(), alone.rows.size() * 4) == 0 &&
              std::memcmp(solved.after.data(), alone.after.data(), alone.after.size() * 8) == 0,
          "rows that depend on the threads");
    for (std::size_t row = 0; row < p.rows; ++row) check_row(p, solved, row);
}

}  // namespace
}  // namespace firth::fuzz

int main(int argc, char** argv) { return firth::fuzz::run(argc, argv, firth::fuzz::one); }
