#include "model.hpp"

#include <algorithm>
#include <array>

#include "observed.hpp"

namespace firth {
namespace {

constexpr std::size_t kRowsOfItem = 64;

}  // namespace

void model_values(const std::int64_t* starts, const std::int32_t* columns, std::size_t begin,
                  std::size_t end, const Factors& factors, float* values, Simd simd,
                  unsigned threads, const Poll& poll) {
    const std::size_t items = (end - begin + kRowsOfItem - 1) / kRowsOfItem;
    const auto of_item = [&](std::size_t item, unsigned, Loop&) {
        alignas(64) std::array<float, kPiece> dots;
        const std::size_t first_row = begin + item * kRowsOfItem;
        const std::size_t last_row = std::min(end, first_row + kRowsOfItem);
        for (std::size_t row = first_row; row < last_row; ++row) {
            const float* const u = factors.left + row * factors.stride;
            for (std::int64_t at = starts[row]; at < starts[row + 1]; at += kPiece) {
                const auto count = std::min<std::size_t>(kPiece, starts[row + 1] - at);
                const Gathered gathered{factors.right, factors.stride, columns + at, count, true};
                dot_products(simd, gathered, u, dots.data());
                std::copy_n(dots.data(), count, values + (at - starts[begin]));
            }
        }
    };
    parallel_for(items, threads, of_item, poll);
}

}  // namespace firth
