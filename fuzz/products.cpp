// Products and transposes of sparse matrices on several threads, against one thread (bit for bit)
// and an oracle that visits every cell.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "inputs.hpp"
#include "sparse.hpp"

namespace firth::fuzz {
namespace {

struct Matrix {
    std::size_t rows = 0;
    std::size_t width = 0;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns;
    std::vector<float> values;
    bool mirrored = false;  // the transpose has its nonzeros in the same places
    bool symmetric = false;

    SparseRows view() const { return {starts.data(), columns.data(), values.data(), rows, width}; }
};

float entry(Random& random) {
    return static_cast<float>(static_cast<double>(random.below(2000001)) / 1e6 - 1);
}

bool is_symmetric(const Matrix& matrix) {
    if (matrix.rows != matrix.width) return false;
    std::vector<std::uint32_t> bits(matrix.rows * matrix.width);
    for (std::size_t row = 0; row < matrix.rows; ++row)
        for (auto i = static_cast<std::size_t>(matrix.starts[row]);
             i < static_cast<std::size_t>(matrix.starts[row + 1]); ++i)
            bits[row * matrix.width + static_cast<std::size_t>(matrix.columns[i])] =
                std::bit_cast<std::uint32_t>(matrix.values[i]);
    for (std::size_t i = 0; i < matrix.rows; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (bits[i * matrix.width + j] != bits[j * matrix.width + i]) return false;
    return true;
}

// Gives mirrored cells the same value; sometimes one bit of one of them differs.
void make_symmetric(Random& random, Matrix& matrix) {
    const std::size_t wrong = random.one_in(3) ? random.below(matrix.values.size() + 1) : SIZE_MAX;
    std::vector<std::size_t> next(matrix.starts.begin(), matrix.starts.end());
    for (std::size_t row = 0; row < matrix.rows; ++row) {
        for (auto i = static_cast<std::size_t>(matrix.starts[row]);
             i < static_cast<std::size_t>(matrix.starts[row + 1]); ++i) {
            const auto column = static_cast<std::size_t>(matrix.columns[i]);
            if (column >= row) continue;
            // Rows above this one reach it in order, so the next nonzero of each is the mirrored
            // one.
            while (static_cast<std::size_t>(matrix.columns[next[column]]) < row) ++next[column];
            matrix.values[i] = matrix.values[next[column]];
            if (i != wrong) continue;
            auto bits = std::bit_cast<std::uint32_t>(matrix.values[i]);
            bits ^= std::uint32_t{1} << random.below(32);
            matrix.values[i] = std::bit_cast<float>(bits);
        }
    }
}

Matrix make_matrix(Random& random) {
    Matrix matrix;
    const std::size_t most = random.one_in(10) ? 200 : 20;
    matrix.rows = random.below(most + 1);
    matrix.width = random.one_in(2) ? matrix.rows : random.below(most + 1);
    std::vector<char> filled(matrix.rows * matrix.width);
    const std::size_t share = random.between(1, 12);
    for (char& cell : filled) cell = random.one_in(share) ? 1 : 0;
    if (matrix.rows == matrix.width && random.one_in(2))
        for (std::size_t i = 0; i < matrix.rows; ++i)
            for (std::size_t j = 0; j < i; ++j)
                filled[i * matrix.width + j] = filled[j * matrix.width + i];
    matrix.mirrored = matrix.rows == matrix.width;
    for (std::size_t i = 0; i < matrix.rows; ++i) {
        for (std::size_t j = 0; j < matrix.width; ++j) {
            if (matrix.mirrored && filled[i * matrix.width + j] != filled[j * matrix.width + i])
                matrix.mirrored = false;
            if (filled[i * matrix.width + j] == 0) continue;
            matrix.columns.push_back(static_cast<std::int32_t>(j));
            matrix.values.push_back(entry(random));
        }
        matrix.starts.push_back(static_cast<std::int64_t>(matrix.columns.size()));
    }
    if (matrix.mirrored && random.one_in(2)) make_symmetric(random, matrix);
    matrix.symmetric = is_symmetric(matrix);
    return matrix;
}

using Multiply = void (*)(const SparseRows&, const float*, float*, unsigned);

void check_product(Random& random, const Matrix& matrix, Multiply multiply_by, bool transposed,
                   unsigned threads) {
    const std::size_t in = transposed ? matrix.rows : matrix.width;
    const std::size_t out = transposed ? matrix.width : matrix.rows;
    std::vector<float> x(in * kPanel);
    for (float& value : x) value = entry(random);
    std::vector<float> y(out * kPanel, NAN);
    std::vector<float> alone(out * kPanel, NAN);
    multiply_by(matrix.view(), x.data(), y.data(), threads);
    multiply_by(matrix.view(), x.data(), alone.data(), 1);
    check(y.empty() || std::memcmp(y.data(), alone.data(), y.size() * sizeof(float)) == 0,
          "the product depends on the threads");
    std::vector<double> sums(out * kPanel);
    std::vector<double> sizes(out * kPanel);  // the scale of rounding errors: a value may be huge
    for (std::size_t row = 0; row < matrix.rows; ++row) {
        for (auto i = static_cast<std::size_t>(matrix.starts[row]);
             i < static_cast<std::size_t>(matrix.starts[row + 1]); ++i) {
            const auto column = static_cast<std::size_t>(matrix.columns[i]);
            const std::size_t from = (transposed ? row : column) * kPanel;
            const std::size_t to = (transposed ? column : row) * kPanel;
            for (std::size_t k = 0; k < kPanel; ++k) {
                const double term = static_cast<double>(matrix.values[i]) * x[from + k];
                sums[to + k] += term;
                sizes[to + k] += std::abs(term);
            }
        }
    }
    // Each of at most in + 1 roundings loses half a unit in the last place, or of the smallest
    // float.
    const double unit = static_cast<double>(in + 1) * std::numeric_limits<float>::epsilon();
    for (std::size_t i = 0; i < sums.size(); ++i)
        check(std::abs(sums[i] - y[i]) <= unit * sizes[i] + 1e-40, "the product is wrong");
}

void check_transpose(const Matrix& matrix, unsigned threads) {
    std::vector<std::int64_t> starts(matrix.width + 1, -1);
    std::vector<std::int32_t> columns(matrix.columns.size(), -1);
    std::vector<float> values(matrix.values.size(), NAN);
    transpose(matrix.view(), starts.data(), columns.data(), values.data(), threads);
    std::vector<std::int64_t> next(matrix.width + 1);  // counts, then places
    for (const std::int32_t column : matrix.columns) ++next[static_cast<std::size_t>(column) + 1];
    for (std::size_t j = 0; j < matrix.width; ++j) next[j + 1] += next[j];
    check(starts == next, "the row starts of the transpose are wrong");
    for (std::size_t row = 0; row < matrix.rows; ++row) {
        for (auto i = static_cast<std::size_t>(matrix.starts[row]);
             i < static_cast<std::size_t>(matrix.starts[row + 1]); ++i) {
            const auto at =
                static_cast<std::size_t>(next[static_cast<std::size_t>(matrix.columns[i])]++);
            check(columns[at] == static_cast<std::int32_t>(row) && values[at] == matrix.values[i],
                  "the transpose is wrong");
        }
    }
    std::vector<float> alone(matrix.values.size(), NAN);
    const bool found = transpose_values(matrix.view(), alone.data(), threads);
    check(found == matrix.mirrored, "transpose_values misjudged the places of the nonzeros");
    check(!found || alone == values, "the values of the transpose are wrong");
}

void one(Random& random) {
    const Matrix matrix = make_matrix(random);
    const auto threads = static_cast<unsigned>(random.below(6));  // 0 means 1
    check_product(random, matrix, multiply, false, threads);
    check_product(random, matrix, multiply_transposed, true, threads);
    check_transpose(matrix, threads);
    check(symmetric(matrix.view(), threads) == matrix.symmetric, "symmetric is wrong");
}

}  // namespace
}  // namespace firth::fuzz

int main(int argc, char** argv) { return firth::fuzz::run(argc, argv, firth::fuzz::one); }
