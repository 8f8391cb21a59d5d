#include "adagrad.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "clones.hpp"
#include "pages.hpp"
#include "single.hpp"

namespace firth {
namespace {

__attribute__((always_inline)) inline void store_sixteen(float* to, Sixteen values) {
    std::memcpy(to, &values, sizeof values);
}

__attribute__((always_inline)) inline float dot(const float* a, const float* b, std::size_t size) {
    Sixteen sums = {};
    for (std::size_t k = 0; k < size; k += kSixteen)
        sums += load_sixteen(a + k) * load_sixteen(b + k);
    float sum = 0;
    for (std::size_t k = 0; k < kSixteen; ++k) sum += sums[k];
    return sum;
}

// The rows of one side that a batch touches, and their gradients.
class Touched {
  public:
    Touched(const Descending& side, std::size_t stride, std::size_t batch)
        : side_(side), stride_(stride) {
        slots_.resize(side.rows);
        std::fill_n(slots_.data(), side.rows, -1);
        gradients_.resize(batch * stride);
        std::fill_n(gradients_.data(), batch * stride, 0.0F);
        rows_.reserve(batch);
        times_.reserve(batch);
    }

    // Where the gradient of a row is added up.
    float* gradient(std::int32_t row) {
        std::int32_t& slot = slots_.data()[row];
        if (slot < 0) {
            slot = static_cast<std::int32_t>(rows_.size());
            rows_.push_back(row);
            times_.push_back(0.0F);
        }
        times_[slot] += 1.0F;
        return gradients_.data() + static_cast<std::size_t>(slot) * stride_;
    }

    const float* values(std::int32_t row) const {
        return side_.values + static_cast<std::size_t>(row) * stride_;
    }

    // Moves all rows that were touched, and forgets them.
    __attribute__((always_inline)) void move(float rate) {
        for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
            const std::size_t row = rows_[slot];
            float* const gradient = gradients_.data() + slot * stride_;
            float* const values = side_.values + row * stride_;
            float* const squares = side_.squares + row * stride_;
            const float penalty = times_[slot] * side_.penalty[row];
            for (std::size_t k = 0; k < stride_; ++k) {
                const float held = penalty * side_.penalised[k] * values[k];
                const float g = (gradient[k] + held) * side_.moves[k];
                squares[k] += g * g;
                values[k] -= rate * g / std::sqrt(squares[k]);
                gradient[k] = 0.0F;
            }
            slots_.data()[row] = -1;
        }
        rows_.clear();
        times_.clear();
    }

  private:
    const Descending& side_;
    std::size_t stride_;
    Pages<std::int32_t> slots_;
    Pages<float> gradients_;
    std::vector<std::int32_t> rows_;
    std::vector<float> times_;
};

struct Worker {
    Touched left;
    Touched right;
};

// One batch of cells; the squared error before it moves anything.
FIRTH_CLONES double descend(const Draws& draws, std::int64_t first, std::int64_t end,
                            Worker& worker, std::size_t stride, float rate) {
    double loss = 0;
    for (std::int64_t at = first; at < end; ++at) {
        const float* const q = worker.left.values(draws.rows[at]);
        const float* const p = worker.right.values(draws.columns[at]);
        const float error = dot(q, p, stride) - draws.targets[at];
        const float pull = draws.weights[at] * error;
        loss += static_cast<double>(pull * error);
        float* const of_q = worker.left.gradient(draws.rows[at]);
        float* const of_p = worker.right.gradient(draws.columns[at]);
        for (std::size_t k = 0; k < stride; k += kSixteen) {
            store_sixteen(of_q + k, load_sixteen(of_q + k) + pull * load_sixteen(p + k));
            store_sixteen(of_p + k, load_sixteen(of_p + k) + pull * load_sixteen(q + k));
        }
    }
    worker.left.move(rate);
    worker.right.move(rate);
    return loss;
}

}  // namespace

double adagrad_epoch(const Draws& draws, const Descending& left, const Descending& right,
                     std::size_t stride, std::size_t batch, float rate, unsigned threads,
                     const Poll& poll) {
    std::array<double, kParts * kParts> losses{};
    std::vector<std::unique_ptr<Worker>> workers(std::max(threads, 1U));
    for (std::size_t turn = 0; turn < kParts; ++turn) {
        const auto of_part = [&](std::size_t part, unsigned number, Loop& loop) {
            auto& worker = workers[number];
            if (!worker)
                worker = std::make_unique<Worker>(
                    Worker{Touched(left, stride, batch), Touched(right, stride, batch)});
            const std::size_t block = part * kParts + (part + turn) % kParts;
            const std::int64_t end = draws.begins[block + 1];
            const auto size = static_cast<std::int64_t>(batch);
            for (std::int64_t at = draws.begins[block]; at < end && !loop.cancelled(); at += size)
                losses[block] +=
                    descend(draws, at, std::min(end, at + size), *worker, stride, rate);
        };
        const Poll told = [&](std::size_t done, std::size_t all) {
            if (poll) poll(turn * all + done, kParts * all);
        };
        parallel_for(kParts, threads, of_part, told);
    }
    double loss = 0;
    for (const double part : losses) loss += part;
    return loss;
}

}  // namespace firth
