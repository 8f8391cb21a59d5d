// Slices of sparse matrices, sound and damaged, against an oracle that visits every cell.
#include "slice.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "inputs.hpp"

namespace firth::fuzz {
namespace {

struct Matrix {
    std::size_t rows = 0;
    std::size_t width = 0;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns;
    std::vector<float> values;

    SparseRows view() const { return {starts.data(), columns.data(), values.data(), rows, width}; }
};

Matrix make_matrix(Random& random) {
    Matrix matrix;
    const std::size_t most = random.one_in(8) ? 200 : 12;
    matrix.rows = random.below(most);
    matrix.width = random.below(most);
    const std::size_t sparse = random.between(1, 6);
    for (std::size_t row = 0; row < matrix.rows; ++row) {
        const bool full = random.one_in(10);
        for (std::size_t column = 0; column < matrix.width; ++column) {
            if (!full && !random.one_in(sparse)) continue;
            matrix.columns.push_back(static_cast<std::int32_t>(column));
            matrix.values.push_back(
                std::bit_cast<float>(static_cast<std::uint32_t>(random.next())));
        }
        matrix.starts.push_back(static_cast<std::int64_t>(matrix.columns.size()));
    }
    return matrix;
}

// Some numbers of rows that are columns too, rising; sometimes none or all.
std::vector<std::int32_t> make_kept(Random& random, const Matrix& matrix) {
    std::vector<std::int32_t> kept;
    const std::size_t sparse = random.below(4);
    for (std::size_t i = 0; sparse > 0 && i < std::min(matrix.rows, matrix.width); ++i)
        if (random.one_in(sparse)) kept.push_back(static_cast<std::int32_t>(i));
    return kept;
}

void check_slice(const Matrix& matrix, const std::vector<std::int32_t>& kept, const Slice& found) {
    check(found.starts.size() == kept.size() + 1 && found.starts[0] == 0, "the starts are wrong");
    check(found.columns.size() == found.values.size(), "the arrays differ in length");
    std::size_t at = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const auto row = static_cast<std::size_t>(kept[i]);
        for (auto cell = static_cast<std::size_t>(matrix.starts[row]);
             cell < static_cast<std::size_t>(matrix.starts[row + 1]); ++cell) {
            const auto place = std::find(kept.begin(), kept.end(), matrix.columns[cell]);
            if (place == kept.end()) continue;
            check(at < found.columns.size(), "a cell is missing");
            check(found.columns[at] == place - kept.begin(), "a column is wrong");
            check(std::bit_cast<std::uint32_t>(found.values[at]) ==
                      std::bit_cast<std::uint32_t>(matrix.values[cell]),
                  "a value is wrong");
            ++at;
        }
        check(found.starts[i + 1] == static_cast<std::int64_t>(at), "a row ends elsewhere");
    }
    check(at == found.columns.size(), "there is a cell too many");
}

void one(Random& random) {
    Matrix matrix = make_matrix(random);
    const std::vector<std::int32_t> kept = make_kept(random, matrix);
    Slice found;
    check(slice(matrix.view(), kept.data(), kept.size(), found), "a sound matrix is refused");
    check_slice(matrix, kept, found);
    if (matrix.columns.empty()) return;
    // A column out of range is refused, if it is in a row that is kept.
    const std::size_t damaged = random.below(matrix.columns.size());
    const auto outside = static_cast<std::int32_t>(matrix.width);
    const std::int32_t bad[] = {-1, outside, std::numeric_limits<std::int32_t>::min(),
                                std::numeric_limits<std::int32_t>::max()};
    matrix.columns[damaged] = random.pick(bad);
    const bool met = std::any_of(kept.begin(), kept.end(), [&](std::int32_t row) {
        const auto place = static_cast<std::int64_t>(damaged);
        return matrix.starts[static_cast<std::size_t>(row)] <= place &&
               place < matrix.starts[static_cast<std::size_t>(row) + 1];
    });
    Slice again;
    check(slice(matrix.view(), kept.data(), kept.size(), again) != met, "damage is misjudged");
    if (!met) check_slice(matrix, kept, again);
}

}  // namespace
}  // namespace firth::fuzz

int main(int argc, char** argv) { return firth::fuzz::run(argc, argv, firth::fuzz::one); }
