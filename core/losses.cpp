#include "losses.hpp"

#include <algorithm>
#include <limits>

#include "clones.hpp"
#include "logarithm.hpp"

namespace firth {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<std::size_t> eights_of(const Beside& x) {
    std::vector<std::size_t> found;
    for (std::size_t w = 0; w < x.to.size(); w += kEight) {
        bool any = false;
        for (std::size_t k = w; k < w + kEight; ++k) any = any || x.to[k] > 0 || x.from[k] > 0;
        if (any) found.push_back(w);
    }
    return found;
}

FIRTH_CLONES void merge_row(double* joint, std::size_t v, const Beside& s, const Beside& t,
                            const Beside& u, const Row& alone,
                            const std::vector<std::size_t>& eights) {
    const bool all = s.to[v] > 0 || s.from[v] > 0;
    const std::size_t count = all ? (v + kEight - 1) / kEight : eights.size();
    const double alone_v = alone[v];
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t w = all ? i * kEight : eights[i];
        if (w >= v) break;
        Eight sum = load_eight(joint + w) + (load_eight(alone.data() + w) + alone_v);
        sum += x_log_x(load_eight(s.to.data() + w) + s.to[v]);
        sum += x_log_x(load_eight(s.from.data() + w) + s.from[v]);
        sum += x_log_x(load_eight(t.to.data() + w) + t.to[v]);
        sum += x_log_x(load_eight(t.from.data() + w) + t.from[v]);
        sum -= x_log_x(load_eight(u.to.data() + w) + u.to[v]);
        sum -= x_log_x(load_eight(u.from.data() + w) + u.from[v]);
        std::memcpy(joint + w, &sum, sizeof sum);
    }
}

FIRTH_CLONES void enter_row(double* joint, std::size_t v, const Beside& z, const Row& alone,
                            const std::vector<std::size_t>& eights) {
    const double alone_v = alone[v];
    for (const std::size_t w : eights) {
        if (w >= v) break;
        Eight sum = load_eight(joint + w) + (load_eight(alone.data() + w) + alone_v);
        sum -= x_log_x(load_eight(z.to.data() + w) + z.to[v]);
        sum -= x_log_x(load_eight(z.from.data() + w) + z.from[v]);
        std::memcpy(joint + w, &sum, sizeof sum);
    }
}

FIRTH_CLONES double lose_row(const double* joint, const double* logs, std::size_t size,
                             const Row& sums, double sum_v, const Row& own, double own_v,
                             double* out) {
    Eight least = Eight{} + kNever;
    Eight last = least;
    for (std::size_t w = 0; w < size; w += kEight) {
        Eight loss = load_eight(joint + w) - (load_eight(own.data() + w) + own_v);
        loss += (load_eight(sums.data() + w) + sum_v) * load_eight(logs + w);
        if (w + kEight > size) {
            last = loss;
        } else {
            least = loss < least ? loss : least;
        }
        if (out != nullptr) std::memcpy(out + w, &loss, sizeof loss);
    }
    double smallest = kNever;
    for (std::size_t k = 0; k < kEight; ++k) smallest = std::min(smallest, least[k]);
    for (std::size_t k = 0; k < size % kEight; ++k) smallest = std::min(smallest, last[k]);
    return smallest;
}

FIRTH_CLONES void add_terms(double* joint, double a, double f_of_a, const double* b) {
    for (std::size_t v = 0; v < kChunk; v += kEight) {
        const Eight counts = load_eight(b + v);
        Eight sum = load_eight(joint + v) + f_of_a;
        sum += x_log_x(counts);
        sum -= x_log_x(counts + a);
        std::memcpy(joint + v, &sum, sizeof sum);
    }
}

FIRTH_CLONES void x_log_x_all(const double* x, double* out, std::size_t size) {
    for (std::size_t i = 0; i < size; i += kEight) {
        const Eight found = x_log_x(load_eight(x + i));
        std::memcpy(out + i, &found, sizeof found);
    }
}

}  // namespace firth
