#include "conjugate.hpp"

#include <cstring>

#include "clones.hpp"
#include "logarithm.hpp"

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

__attribute__((always_inline)) inline Eight diagonal(const Prior& prior, std::size_t k) {
    return load_eight(prior.spread + k) * prior.z + load_eight(prior.ridge + k) * prior.lambda;
}

}  // namespace

FIRTH_CLONES void accumulate(const float* from, double* to, std::size_t size) {
    for (std::size_t k = 0; k < size; k += kEight)
        store_eight(to + k, load_eight(to + k) + load_floats(from + k));
}

FIRTH_CLONES double begin_row(const Prior& prior, const float* u, double* residual,
                              float* direction, std::size_t size) {
    Eight loss = {};
    for (std::size_t k = 0; k < size; k += kEight) {
        const Eight at = load_floats(u + k);
        const Eight pulled = load_eight(prior.pull + k) * prior.z;
        const Eight held = diagonal(prior, k) * at;
        loss += at * (held - 2.0 * pulled);
        const Eight sum = load_eight(residual + k) + (pulled - held);
        store_eight(residual + k, sum);
        store_floats(direction + k, sum);
    }
    return sum_of(loss);
}

FIRTH_CLONES double complete_product(const Prior& prior, const float* direction, double* product,
                                     std::size_t size) {
    Eight length = {};
    for (std::size_t k = 0; k < size; k += kEight) {
        const Eight p = load_floats(direction + k);
        const Eight sum = load_eight(product + k) + diagonal(prior, k) * p;
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

FIRTH_CLONES double squared(const float* a, std::size_t size) {
    Eight sum = {};
    for (std::size_t k = 0; k < size; k += kEight) {
        const Eight values = load_floats(a + k);
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

}  // namespace firth
