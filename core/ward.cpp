#include "ward.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "clones.hpp"
#include "means.hpp"
#include "ties.hpp"

namespace firth {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kPanelWide = 2 * kLanes;  // points multiplied at a time
constexpr std::size_t kAhead = 8 * kPanelWide;  // points that are multiplied before they enter
constexpr std::size_t kRowsAtOnce = 4;
constexpr std::size_t kRowsOfPiece = 64;
constexpr std::size_t kPollEvery = 64;  // merges
constexpr double kShare = 8 * kTie;     // any value is correct; this one keeps the bounds tight

using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

Lanes load(const double* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

std::size_t padded(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

// out[r][0 … kPanelWide) = row r times the panel, for kRowsAtOnce rows. The panel holds the first
// entry of every point, then the second entry of every point, and so on.
FIRTH_CLONES void multiply_panel(const double* rows, std::size_t stride, const double* panel,
                                 std::size_t width, double* out, std::size_t out_stride) {
    Lanes sums[kRowsAtOnce][2] = {};
    for (std::size_t i = 0; i < width; ++i) {
        const Lanes first = load(panel + i * kPanelWide);
        const Lanes second = load(panel + i * kPanelWide + kLanes);
        for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
            sums[r][0] += rows[r * stride + i] * first;
            sums[r][1] += rows[r * stride + i] * second;
        }
    }
    for (std::size_t r = 0; r < kRowsAtOnce; ++r)
        std::memcpy(out + r * out_stride, &sums[r], sizeof sums[r]);
}

// Writes lower bounds on the costs of merging a cluster with each slot; returns the smallest.
FIRTH_CLONES double scan(const double* products, const double* norms, const double* sizes,
                         std::size_t slots, double norm, double size, double slack, double* low) {
    Lanes least = Lanes{} + kNever;
    for (std::size_t i = 0; i < slots; i += kLanes) {
        const Lanes other = load(sizes + i);
        const Lanes square = (load(norms + i) + (norm - slack)) - 2.0 * load(products + i);
        const Lanes cost = other * size / (other + size) * square;
        least = cost < least ? cost : least;
        std::memcpy(low + i, &cost, sizeof cost);
    }
    double smallest = kNever;
    for (std::size_t k = 0; k < kLanes; ++k) smallest = std::min(smallest, least[k]);
    return smallest;
}

FIRTH_CLONES void mix(double* a, double m, const double* b, double n, std::size_t size) {
    const double of_a = m / (m + n);
    const double of_b = n / (m + n);
    for (std::size_t i = 0; i < size; ++i) a[i] = of_a * a[i] + of_b * b[i];
}

class Ward {
  public:
    Ward(const float* vectors, const double* weights, std::size_t points, std::size_t width,
         std::size_t active, unsigned threads)
        : vectors_(vectors),
          weights_(weights),
          points_(points),
          width_(width),
          stride_(padded(width, kLanes)),
          active_(active),
          slots_(active < points ? active + 1 : points),
          span_(padded(slots_, kRowsOfPiece)),
          threads_(threads),
          means_(span_ * stride_),
          products_(span_ * span_),
          ahead_(span_ * kAhead),
          block_(kAhead * stride_),
          among_(kAhead * kAhead),
          panels_(kAhead * stride_),
          sizes_(span_, 1.0),
          norms_(span_, kNever),
          bounds_(span_, kNever),
          low_(span_),
          nearest_(span_, -1),
          ids_(span_, -1),
          tight_(span_, 0) {
        std::fill_n(means_.data(), means_.size(), 0.0);
        std::fill_n(products_.data(), products_.size(), 0.0);
        std::fill_n(ahead_.data(), ahead_.size(), 0.0);
        std::fill_n(block_.data(), block_.size(), 0.0);
        std::fill_n(panels_.data(), panels_.size(), 0.0);
        tree_.children.resize(2 * (points - 1));
        tree_.costs.resize(points - 1);
        for (std::size_t slot = slots_; slot-- > 0;) free_.push_back(slot);
        bound_rounding();
    }

    Tree run(const Poll& poll) {
        auto polled = std::chrono::steady_clock::now();
        for (std::size_t step = 0; merges_ + 1 < points_; ++step) {
            if (entered_ < points_) enter();
            if (entered_ - merges_ > active_ || entered_ == points_) merge();
            const auto now = std::chrono::steady_clock::now();
            if (step % kPollEvery == 0 && now - polled > std::chrono::milliseconds(50)) {
                polled = now;
                poll(merges_, points_ - 1);
            }
        }
        return std::move(tree_);
    }

  private:
    // Sets slack_, a bound on the error of squared distances computed from stored products. The
    // rounding error of a product of `width` terms, and of each of the at most `points` weighted
    // means after it, is a few units in the last place of the longest vector's square. A distance
    // d is known to within tie_, and (d ± tie_)² lies within d² (1 ± kShare) ± tie_² (1 + 1 /
    // kShare).
    void bound_rounding() {
        double longest = 0;
        for (std::size_t i = 0; i < points_; ++i) {
            double square = 0;
            for (std::size_t k = 0; k < width_; ++k) {
                const double entry = vectors_[i * width_ + k];
                square += entry * entry;
            }
            longest = std::max(longest, square);
        }
        const double terms = static_cast<double>(width_) + 8 * static_cast<double>(points_);
        tie_ = kTie / 2 * std::sqrt(longest);
        slack_ = tie_ * tie_ * (1 + 1 / kShare) +
                 2 * longest * terms * std::numeric_limits<double>::epsilon();
    }

    // Multiplies the next points with all means, and with each other.
    void look_ahead() {
        const std::size_t count = std::min(kAhead, points_ - entered_);
        for (std::size_t j = 0; j < count; ++j) {
            const float* const from = vectors_ + (entered_ + j) * width_;
            double* const panel = panels_.data() + j / kPanelWide * kPanelWide * stride_;
            for (std::size_t i = 0; i < width_; ++i) {
                block_.data()[j * stride_ + i] = from[i];
                panel[i * kPanelWide + j % kPanelWide] = from[i];
            }
        }
        const std::size_t pieces = span_ / kRowsOfPiece;
        const std::size_t own = kAhead / kRowsOfPiece;
        parallel_for(pieces + own, threads_, [&](std::size_t piece, unsigned, Loop&) {
            const bool mine = piece >= pieces;
            const std::size_t row = (mine ? piece - pieces : piece) * kRowsOfPiece;
            const double* const rows = (mine ? block_.data() : means_.data()) + row * stride_;
            double* const out = (mine ? among_.data() : ahead_.data()) + row * kAhead;
            for (std::size_t r = 0; r < kRowsOfPiece; r += kRowsAtOnce)
                for (std::size_t at = 0; at < count; at += kPanelWide)
                    multiply_panel(rows + r * stride_, stride_, panels_.data() + at * stride_,
                                   width_, out + r * kAhead + at, kAhead);
        });
    }

    void enter() {
        const std::size_t j = entered_ % kAhead;
        if (j == 0) look_ahead();
        const std::size_t slot = free_.back();
        free_.pop_back();
        std::memcpy(mean(slot), block_.data() + j * stride_, stride_ * sizeof(double));
        for (std::size_t other = 0; other < slots_; ++other)
            product(slot, other) = product(other, slot) = ahead_.data()[other * kAhead + j];
        std::memcpy(ahead_.data() + slot * kAhead, among_.data() + j * kAhead,
                    kAhead * sizeof(double));
        sizes_[slot] = weights_[entered_];
        norms_[slot] = among_.data()[j * kAhead + j];
        ids_[slot] = static_cast<std::int32_t>(entered_++);
        tighten(slot);
    }

    // Finds the cluster nearest to one, and a lower bound on the cost of merging with it.
    void tighten(std::size_t slot) {
        search(slot);
        ++tree_.tightenings;
        const auto found = std::min_element(low_.begin(), low_.begin() + slots_);
        bounds_[slot] = *found;
        nearest_[slot] = static_cast<std::int32_t>(found - low_.begin());
        tight_[slot] = 1;
    }

    double search(std::size_t slot) {
        const double norm = norms_[slot];
        norms_[slot] = kNever;  // a cluster is not its own neighbour
        const double least = scan(&product(slot, 0), norms_.data(), sizes_.data(), span_, norm,
                                  sizes_[slot], slack_, low_.data());
        norms_[slot] = norm;
        return least;
    }

    // Tightens the bound of every cluster that may belong to the cheapest pair or to a pair tied
    // with it; returns an upper bound on the cost of such a pair.
    double settle() {
        for (;;) {
            const auto first = std::min_element(bounds_.begin(), bounds_.begin() + slots_);
            const auto best = static_cast<std::size_t>(first - bounds_.begin());
            if (!tight_[best]) {
                tighten(best);
                continue;
            }
            const double a = sizes_[best];
            const double b = sizes_[static_cast<std::size_t>(nearest_[best])];
            const double least = bounds_[best] + 2 * slack_ * (a * b / (a + b));
            const double most = least * (1 + 3 * kShare);
            bool loose = false;
            for (std::size_t slot = 0; slot < slots_; ++slot) {
                if (bounds_[slot] > most || tight_[slot]) continue;
                tighten(slot);
                loose = true;
            }
            if (!loose) return most;
        }
    }

    struct Pair {
        double cost = kNever;
        std::int32_t older = std::numeric_limits<std::int32_t>::max();
        std::int32_t younger = 0;
        std::size_t to = 0;
        std::size_t from = 0;
    };

    // Calls `look` for every pair whose cost may be `most` or less.
    template <class Look>
    void each_pair(double most, Look&& look) {
        for (std::size_t slot = 0; slot < slots_; ++slot) {
            if (bounds_[slot] > most) continue;
            search(slot);
            for (std::size_t other = 0; other < slots_; ++other) {
                if (!(low_[other] <= most) || (other <= slot && bounds_[other] <= most)) continue;
                const bool older = ids_[slot] < ids_[other];
                look(older ? slot : other, older ? other : slot);
            }
        }
    }

    // Returns the cheapest pair; of tied pairs, the oldest.
    Pair choose(double most) {
        std::size_t pairs = 0;
        double least = kNever;  // the smallest upper bound on the cost of a pair
        Pair best;
        const auto measure = [&](std::size_t a, std::size_t b) {
            const double both = sizes_[a] * sizes_[b] / (sizes_[a] + sizes_[b]);
            const double square =
                squared_distance(means_.data() + a * stride_, means_.data() + b * stride_, stride_);
            return std::pair(both, square);
        };
        each_pair(most, [&](std::size_t a, std::size_t b) {
            const auto [both, square] = measure(a, b);
            const double far = std::sqrt(square) + tie_;
            least = std::min(least, both * (far * far));
            if (pairs++ == 0) best = {both * square, ids_[a], ids_[b], a, b};
        });
        if (pairs == 1) return best;
        best = {};
        each_pair(most, [&](std::size_t a, std::size_t b) {
            if (std::pair(ids_[a], ids_[b]) >= std::pair(best.older, best.younger)) return;
            const auto [both, square] = measure(a, b);
            const double near = std::max(0.0, std::sqrt(square) - tie_);
            if (both * (near * near) <= least) best = {both * square, ids_[a], ids_[b], a, b};
        });
        return best;
    }

    void merge() {
        const Pair best = choose(settle());
        if (best.to == best.from) throw std::runtime_error("no two clusters can be merged");
        const std::size_t to = best.to;
        const std::size_t from = best.from;
        const double m = sizes_[to];
        const double n = sizes_[from];
        blend(mean(to), m, mean(from), n, stride_);
        std::fill_n(mean(from), stride_, 0.0);
        mix(&product(to, 0), m, &product(from, 0), n, slots_);
        for (std::size_t other = 0; other < slots_; ++other)
            product(other, to) = product(to, other);
        mix(ahead_.data() + to * kAhead, m, ahead_.data() + from * kAhead, n, kAhead);
        double norm = 0;
        for (std::size_t i = 0; i < width_; ++i) norm += mean(to)[i] * mean(to)[i];
        norms_[to] = norm;
        sizes_[to] = m + n;
        retire(from);
        tree_.children.data()[2 * merges_] = best.older;
        tree_.children.data()[2 * merges_ + 1] = best.younger;
        tree_.costs.data()[merges_] = best.cost;
        ids_[to] = static_cast<std::int32_t>(points_ + merges_++);
        for (std::size_t slot = 0; slot < slots_; ++slot)
            if (nearest_[slot] == static_cast<std::int32_t>(to) ||
                nearest_[slot] == static_cast<std::int32_t>(from))
                tight_[slot] = 0;
        tighten(to);
    }

    void retire(std::size_t slot) {
        norms_[slot] = bounds_[slot] = kNever;
        sizes_[slot] = 1;
        nearest_[slot] = -1;
        tight_[slot] = 1;
        free_.push_back(slot);
    }

    double* mean(std::size_t slot) { return means_.data() + slot * stride_; }
    double& product(std::size_t a, std::size_t b) { return products_.data()[a * span_ + b]; }

    const float* vectors_;
    const double* weights_;
    std::size_t points_;
    std::size_t width_;
    std::size_t stride_;  // of a mean
    std::size_t active_;
    std::size_t slots_;
    std::size_t span_;  // slots, rounded up to whole blocks
    unsigned threads_;
    double tie_ = 0;
    double slack_ = 0;
    Pages<double> means_;
    Pages<double> products_;  // of the means of two slots
    Pages<double> ahead_;     // of the mean of each slot and the points of the block
    Pages<double> block_;     // the points that are about to enter
    Pages<double> among_;     // their products with each other
    Pages<double> panels_;    // the same points, in the layout of multiply_panel
    std::vector<double> sizes_;
    std::vector<double> norms_;
    std::vector<double> bounds_;  // lower bounds on the cost of merging with the nearest cluster
    std::vector<double> low_;
    std::vector<std::int32_t> nearest_;
    std::vector<std::int32_t> ids_;
    std::vector<char> tight_;
    std::vector<std::size_t> free_;
    std::size_t entered_ = 0;
    std::size_t merges_ = 0;
    Tree tree_;
};

}  // namespace

Tree ward(const float* vectors, const double* weights, std::size_t points, std::size_t width,
          std::size_t active, unsigned threads, const Poll& poll) {
    return Ward(vectors, weights, points, width, active, threads).run(poll);
}

}  // namespace firth
