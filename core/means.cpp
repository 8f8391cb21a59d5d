#include "means.hpp"

#include <cstring>

namespace firth {
namespace {

using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

}  // namespace

double squared_distance(const double* a, const double* b, std::size_t size) {
    Lanes sums = {};
    for (std::size_t i = 0; i < size; i += kLanes) {
        Lanes x;
        Lanes y;
        std::memcpy(&x, a + i, sizeof x);
        std::memcpy(&y, b + i, sizeof y);
        x -= y;
        sums += x * x;
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

void blend(double* a, double m, const double* b, double n, std::size_t size) {
    const double all = m + n;
    for (std::size_t i = 0; i < size; ++i) a[i] = (m * a[i] + n * b[i]) / all;
}

}  // namespace firth
