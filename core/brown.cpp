#include "brown.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "losses.hpp"
#include "team.hpp"
#include "ties.hpp"

namespace firth {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kRowsOfItem = 16;
constexpr std::size_t kPollEvery = 8;

double f(double x) { return x > 0 ? x * std::log(x) : 0.0; }

class Brown {
  public:
    Brown(const Followers& after, const Followers& before, const double* frequencies,
          std::size_t words, std::size_t active, unsigned threads)
        : after_(after),
          before_(before),
          frequencies_(frequencies),
          words_(words),
          active_(active),
          slots_(active < words ? active + 1 : words),
          span_((slots_ + kChunk - 1) / kChunk * kChunk),
          team_(threads),
          to_(span_ * span_),
          from_(span_ * span_),
          joint_(span_ * span_),
          logs_(span_ * span_),
          s_{Row(span_), Row(span_)},
          t_(s_),
          u_(s_),
          z_(s_),
          merged_alone_(span_),
          entered_alone_(span_),
          made_merged_(span_),
          made_entered_(span_),
          scratch_(span_),
          sums_(span_),
          sizes_(span_),
          own_(span_, -kNever),
          settled_(span_, -kNever),
          least_(span_, kNever),
          ids_(span_, -1),
          members_(span_),
          slot_of_(words, -1) {
        for (auto* table : {&to_, &from_, &joint_, &logs_})
            std::fill_n(table->data(), table->size(), 0.0);
        for (std::size_t slot = slots_; slot-- > 0;) free_.push_back(slot);
        double tokens = 0;
        for (std::size_t word = 0; word < words; ++word) tokens += frequencies[word];
        tokens_ = tokens;
        tolerance_ = kRounding * tokens * (1 + std::log(tokens));
        tree_.children.resize(2 * (words - 1));
        tree_.costs.resize(words - 1);
    }

    Tree run(const Poll& poll) {
        auto polled = std::chrono::steady_clock::now();
        for (std::size_t step = 0; merges_ + 1 < words_; ++step) {
            merged_ = entered_slot_ = kNone;
            if (entered_ - merges_ > active_ || entered_ == words_) merge();
            if (entered_ < words_) enter();
            update();
            const auto now = std::chrono::steady_clock::now();
            if (step % kPollEvery == 0 && now - polled > std::chrono::milliseconds(50)) {
                polled = now;
                poll(merges_, words_ - 1);
            }
        }
        return std::move(tree_);
    }

  private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    struct Pair {
        double loss = kNever;
        std::int32_t older = std::numeric_limits<std::int32_t>::max();
        std::int32_t younger = 0;
        std::size_t a = 0;
        std::size_t b = 0;
    };

    double* row(Pages<double>& table, std::size_t slot) { return table.data() + slot * span_; }

    // Returns the pair whose merge loses least; of pairs equal within rounding, the oldest.
    Pair choose() {
        const double least = *std::min_element(least_.begin(), least_.end());
        Pair best;
        for (std::size_t v = 0; v < slots_; ++v) {
            if (!(least_[v] <= least + tolerance_)) continue;
            lose_row(row(joint_, v), row(logs_, v), v, sums_, sums_[v], own_, own_[v],
                     scratch_.data());
            for (std::size_t w = 0; w < v; ++w) {
                if (!(scratch_[w] <= least + tolerance_)) continue;
                const auto [older, younger] = std::minmax(ids_[v], ids_[w]);
                if (std::pair(older, younger) < std::pair(best.older, best.younger))
                    best = {scratch_[w], older, younger, v, w};
            }
        }
        return best;
    }

    void keep(std::size_t slot, Beside& beside) {
        std::copy_n(row(from_, slot), span_, beside.to.begin());
        std::copy_n(row(to_, slot), span_, beside.from.begin());
    }

    // Merges two clusters in the tables of counts, and records the changes that `joint` needs.
    void merge() {
        const Pair best = choose();
        if (best.a == best.b) throw std::runtime_error("no two clusters can be merged");
        std::size_t to = best.a;
        std::size_t from = best.b;
        if (members_[to].size() < members_[from].size()) std::swap(to, from);
        keep(to, s_);
        keep(from, t_);
        eights_of_s_ = eights_of(s_);
        auto eights_of_t = eights_of(t_);
        if (eights_of_t.size() < eights_of_s_.size()) {
            std::swap(s_, t_);
            eights_of_s_ = std::move(eights_of_t);
        }
        for (Pages<double>* table : {&to_, &from_}) {
            double* const into = row(*table, to);
            double* const out = row(*table, from);
            for (std::size_t x = 0; x < slots_; ++x) into[x] += std::exchange(out[x], 0.0);
            into[to] += std::exchange(into[from], 0.0);
        }
        for (Pages<double>* table : {&to_, &from_}) {
            const Pages<double>& other = table == &to_ ? from_ : to_;
            for (std::size_t x = 0; x < slots_; ++x) {
                row(*table, x)[to] = other.data()[to * span_ + x];
                row(*table, x)[from] = 0;
            }
        }
        keep(to, u_);
        std::fill(merged_alone_.begin(), merged_alone_.end(), 0.0);
        note(s_, -1, merged_alone_);
        note(t_, -1, merged_alone_);
        note(u_, 1, merged_alone_);
        for (const std::int32_t word : members_[from]) slot_of_[word] = static_cast<int>(to);
        members_[to].insert(members_[to].end(), members_[from].begin(), members_[from].end());
        members_[from].clear();
        sizes_[to] += sizes_[from];
        sums_[to] += std::exchange(sums_[from], 0.0);
        own_[from] = -kNever;
        ids_[from] = -1;
        ids_[to] = static_cast<std::int32_t>(words_ + merges_);
        free_.push_back(from);
        tree_.children.data()[2 * merges_] = best.older;
        tree_.children.data()[2 * merges_ + 1] = best.younger;
        tree_.costs.data()[merges_++] = std::max(0.0, best.loss / tokens_);
        merged_ = to;
    }

    // Adds sign · (f(n(v, x)) + f(n(x, v))) for a cluster x and every v.
    void note(const Beside& beside, double sign, Row& alone) {
        for (const Row* counts : {&beside.to, &beside.from}) {
            x_log_x_all(counts->data(), scratch_.data(), span_);
            for (std::size_t v = 0; v < span_; ++v) alone[v] += sign * scratch_[v];
        }
    }

    void enter() {
        const std::size_t word = entered_++;
        const std::size_t slot = free_.back();
        free_.pop_back();
        slot_of_[word] = static_cast<int>(slot);
        members_[slot].push_back(static_cast<std::int32_t>(word));
        sizes_[slot] = frequencies_[word];
        sums_[slot] = 0;
        ids_[slot] = static_cast<std::int32_t>(word);
        for (const Followers* side : {&after_, &before_}) {
            Pages<double>& near = side == &after_ ? to_ : from_;
            Pages<double>& far = side == &after_ ? from_ : to_;
            for (std::int64_t i = side->starts[word]; i < side->starts[word + 1]; ++i) {
                const int other = slot_of_[side->columns[i]];
                if (other < 0) continue;
                const auto x = static_cast<std::size_t>(other);
                row(near, slot)[x] += side->counts[i];
                if (x != slot) row(far, x)[slot] += side->counts[i];
                sums_[slot] += side->counts[i];
                if (x != slot) sums_[x] += side->counts[i];
            }
        }
        keep(slot, z_);
        eights_of_z_ = eights_of(z_);
        std::fill(entered_alone_.begin(), entered_alone_.end(), 0.0);
        note(z_, 1, entered_alone_);
        entered_slot_ = slot;
    }

    // Updates `joint` and the least loss of each row, on all threads.
    void update() {
        const std::size_t fresh[] = {merged_, entered_slot_};
        for (std::size_t v = 0; v < slots_; ++v)
            if (ids_[v] >= 0) own_[v] = sums_[v] * std::log(sizes_[v]);
        settled_ = own_;  // without the clusters whose rows are computed again
        for (const std::size_t x : fresh)
            if (x != kNone) prepare(x);
        const std::size_t items = (slots_ + kRowsOfItem - 1) / kRowsOfItem;
        const std::size_t chunks = span_ / kChunk;
        team_.run(2 * chunks + items, [&](std::size_t item) {
            if (item < 2 * chunks) {
                if (fresh[item / chunks] != kNone) renew(fresh[item / chunks], item % chunks);
                return;
            }
            const std::size_t last = slots_ - (item - 2 * chunks) * kRowsOfItem;
            for (std::size_t v = last > kRowsOfItem ? last - kRowsOfItem : 0; v < last; ++v)
                update_row(v);
        });
        for (const std::size_t x : fresh)
            if (x != kNone) finish(x);
    }

    void prepare(std::size_t x) {
        settled_[x] = -kNever;
        for (std::size_t v = 0; v < slots_; ++v) {
            const double found = ids_[v] < 0 ? 0.0 : std::log(sizes_[v] + sizes_[x]);
            row(logs_, x)[v] = row(logs_, v)[x] = found;
        }
    }

    void update_row(std::size_t v) {
        least_[v] = kNever;
        if (settled_[v] == -kNever) return;
        if (merged_ != kNone) merge_row(row(joint_, v), v, s_, t_, u_, merged_alone_, eights_of_s_);
        if (entered_slot_ != kNone && (z_.to[v] > 0 || z_.from[v] > 0))
            enter_row(row(joint_, v), v, z_, entered_alone_, eights_of_z_);
        least_[v] = lose_row(row(joint_, v), row(logs_, v), v, sums_, sums_[v], settled_,
                             settled_[v], nullptr);
    }

    // Computes joint(x, v) from the counts, for a chunk of v, into made(x).
    void renew(std::size_t x, std::size_t chunk) {
        const std::size_t first = chunk * kChunk;
        const std::size_t last = std::min(first + kChunk, slots_);
        double sums[kChunk] = {};
        for (std::size_t y = 0; y < slots_; ++y) {
            if (y == x) continue;
            const double to = row(to_, x)[y];
            const double from = row(from_, x)[y];
            if (to > 0) add_terms(sums, to, f(to), row(from_, y) + first);
            if (from > 0) add_terms(sums, from, f(from), row(to_, y) + first);
        }
        const double self = row(to_, x)[x];
        for (std::size_t v = first; v < last; ++v) {
            const double own = row(to_, v)[v];
            const double to = row(to_, x)[v];
            const double from = row(from_, x)[v];
            // v itself is not a third cluster: replace its terms.
            for (const double a : {to, from}) sums[v - first] -= f(a) + f(own) - f(a + own);
            sums[v - first] += f(self) + f(to) + f(from) + f(own) - f(self + to + from + own);
        }
        std::copy_n(sums, kChunk, made(x).data() + first);
    }

    // Copies a row that was computed again to its place, and updates the losses.
    void finish(std::size_t x) {
        for (std::size_t v = 0; v < slots_; ++v) row(joint_, x)[v] = row(joint_, v)[x] = made(x)[v];
        lose_row(row(joint_, x), row(logs_, x), span_, sums_, sums_[x], own_, own_[x],
                 scratch_.data());
        for (std::size_t v = 0; v < slots_; ++v)
            if (v != x) least_[std::max(v, x)] = std::min(least_[std::max(v, x)], scratch_[v]);
    }

    Row& made(std::size_t x) { return x == merged_ ? made_merged_ : made_entered_; }

    Followers after_;
    Followers before_;
    const double* frequencies_;
    std::size_t words_;
    std::size_t active_;
    std::size_t slots_;
    std::size_t span_;  // slots, rounded up to whole chunks
    Team team_;
    double tokens_ = 0;
    double tolerance_ = 0;
    Pages<double> to_;     // to_[v][w] = n(v, w)
    Pages<double> from_;   // from_[v][w] = n(w, v)
    Pages<double> joint_;  // valid below the diagonal only; values above it may be out of date
    Pages<double> logs_;   // ln(n(v) + n(w))
    Beside s_;             // the counts of the two clusters that are merged
    Beside t_;
    Beside u_;  // the counts of their union
    Beside z_;  // the counts of the word that enters
    std::vector<std::size_t> eights_of_s_;
    std::vector<std::size_t> eights_of_z_;
    Row merged_alone_;
    Row entered_alone_;
    Row made_merged_;
    Row made_entered_;
    Row scratch_;
    Row sums_;   // A(v)
    Row sizes_;  // n(v)
    Row own_;    // A(v) ln n(v); -∞ for an empty slot
    Row settled_;
    Row least_;  // the least loss of merging v with a lower slot w
    std::vector<std::int32_t> ids_;
    std::vector<std::vector<std::int32_t>> members_;
    std::vector<int> slot_of_;
    std::vector<std::size_t> free_;
    std::size_t merged_ = kNone;  // slots whose rows have to be computed again
    std::size_t entered_slot_ = kNone;
    std::size_t entered_ = 0;
    std::size_t merges_ = 0;
    Tree tree_;
};

}  // namespace

Tree brown(const Followers& after, const Followers& before, const double* frequencies,
           std::size_t words, std::size_t active, unsigned threads, const Poll& poll) {
    return Brown(after, before, frequencies, words, active, threads).run(poll);
}

}  // namespace firth
