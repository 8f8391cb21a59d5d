// Brown's clustering on several threads against one thread, and its merges against an oracle that
// computes the loss of every pair from scratch.
#include "brown.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "inputs.hpp"

namespace firth::fuzz {
namespace {

struct Text {
    std::size_t words = 1;
    std::vector<double> table;  // how often a word is followed by another
    std::vector<double> frequencies;
    double tokens = 0;
};

Text make_text(Random& random, std::size_t words) {
    Text text;
    text.words = words;
    text.table.resize(words * words);
    const std::size_t share = random.between(1, 12);  // one in so many pairs of words occurs
    const std::size_t most = random.one_in(3) ? 2 : random.one_in(2) ? 1000 : 1000000;
    for (double& count : text.table)
        if (random.one_in(share)) count = static_cast<double>(random.between(1, most));
    for (std::size_t v = 0; v < words; ++v) {
        double out = 0;
        double in = 0;
        for (std::size_t w = 0; w < words; ++w) {
            out += text.table[v * words + w];
            in += text.table[w * words + v];
        }
        text.frequencies.push_back(std::max({out, in, 1.0}) + static_cast<double>(random.below(3)));
        text.tokens += text.frequencies.back();
    }
    return text;
}

struct Rows {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns;
    std::vector<double> counts;

    Rows(const Text& text, bool after) {
        for (std::size_t v = 0; v < text.words; ++v) {
            for (std::size_t w = 0; w < text.words; ++w) {
                const double count = text.table[after ? v * text.words + w : w * text.words + v];
                if (count == 0) continue;
                columns.push_back(static_cast<std::int32_t>(w));
                counts.push_back(count);
            }
            starts.push_back(static_cast<std::int64_t>(columns.size()));
        }
    }
    Followers followers() const { return {starts.data(), columns.data(), counts.data()}; }
};

// An active cluster: the number of its node, and its words.
struct Cluster {
    std::int32_t node;
    std::vector<std::size_t> words;
};

// Returns Σ n(c, c') ln(n(c, c') N / (n(c) n(c'))) over all pairs of groups of words.
double kept(const Text& text, const std::vector<Cluster>& groups) {
    std::vector<double> sizes;
    for (const Cluster& group : groups) {
        sizes.push_back(0);
        for (const std::size_t word : group.words) sizes.back() += text.frequencies[word];
    }
    long double sum = 0;
    for (std::size_t a = 0; a < groups.size(); ++a) {
        for (std::size_t b = 0; b < groups.size(); ++b) {
            double count = 0;
            for (const std::size_t v : groups[a].words)
                for (const std::size_t w : groups[b].words) count += text.table[v * text.words + w];
            if (count > 0)
                sum += count * std::log(static_cast<long double>(count) * text.tokens /
                                        (static_cast<long double>(sizes[a]) * sizes[b]));
        }
    }
    return static_cast<double>(sum);
}

std::vector<Cluster> united(std::vector<Cluster> groups, std::size_t a, std::size_t b,
                            std::int32_t node) {
    groups[a].words.insert(groups[a].words.end(), groups[b].words.begin(), groups[b].words.end());
    groups[a].node = node;
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(b));
    return groups;
}

// Checks one merge of a tree. Losses that differ by less than a tolerance are ties, of which the
// oldest pair is merged. Differences close to the tolerance may be rounded to either side of it.
void check_merge(const Text& text, const Tree& tree, std::size_t merge,
                 std::vector<Cluster>& groups) {
    const double tolerance = 1e-12 * text.tokens * (1 + std::log(text.tokens));
    const std::int32_t older = tree.children[2 * merge];
    const std::int32_t younger = tree.children[2 * merge + 1];
    const double before = kept(text, groups);
    struct Pair {
        double loss;
        std::int32_t older;
        std::int32_t younger;
    };
    std::vector<Pair> pairs;
    std::size_t to = 0;
    std::size_t from = 0;
    for (std::size_t a = 0; a < groups.size(); ++a) {
        for (std::size_t b = a + 1; b < groups.size(); ++b) {
            const auto [first, second] = std::minmax(groups[a].node, groups[b].node);
            pairs.push_back({before - kept(text, united(groups, a, b, 0)), first, second});
            if (first != older || second != younger) continue;
            to = a;
            from = b;
        }
    }
    check(from > 0, "the merged pair is not active");
    double least = pairs[0].loss;
    for (const Pair& pair : pairs) least = std::min(least, pair.loss);
    for (const Pair& pair : pairs) {
        if (pair.older == older && pair.younger == younger) {
            check(pair.loss <= least + 1.5 * tolerance, "another pair loses less");
            check(std::abs(std::max(pair.loss, 0.0) - tree.costs[merge] * text.tokens) <= tolerance,
                  "the cost is wrong");
        } else if (pair.older < older || (pair.older == older && pair.younger < younger)) {
            check(pair.loss >= least + tolerance / 2, "an older pair loses as little");
        }
    }
    groups = united(groups, to, from, static_cast<std::int32_t>(text.words + merge));
}

void check_tree(const Text& text, const Tree& tree, std::size_t active) {
    std::vector<Cluster> groups;
    std::size_t merges = 0;
    for (std::size_t word = 0; word < text.words; ++word) {
        groups.push_back({static_cast<std::int32_t>(word), {word}});
        if (groups.size() > active) check_merge(text, tree, merges++, groups);
    }
    while (groups.size() > 1) check_merge(text, tree, merges++, groups);
}

void one(Random& random) {
    // With more than 16 and 64 clusters, threads get more rows and more chunks of them.
    const std::size_t most = random.one_in(30) ? 150 : random.one_in(3) ? 40 : 8;
    const Text text = make_text(random, random.between(1, most));
    const std::size_t active = random.between(1, text.words + 5);
    const Rows after(text, true);
    const Rows before(text, false);
    const auto tree_of = [&](unsigned threads) {
        return brown(after.followers(), before.followers(), text.frequencies.data(), text.words,
                     active, threads, [](std::size_t, std::size_t) {});
    };
    const Tree tree = tree_of(static_cast<unsigned>(random.between(2, 5)));
    const Tree alone = tree_of(random.one_in(8) ? 0 : 1);
    const std::size_t merges = text.words - 1;
    check(tree.children.size() == 2 * merges && tree.costs.size() == merges,
          "the tree has the wrong size");
    check(merges == 0 ||
              (std::memcmp(tree.children.data(), alone.children.data(),
                           2 * merges * sizeof(std::int32_t)) == 0 &&
               std::memcmp(tree.costs.data(), alone.costs.data(), merges * sizeof(double)) == 0),
          "the tree depends on the threads");
    if (text.words <= 8) check_tree(text, tree, active);
}

}  // namespace
}  // namespace firth::fuzz

int main(int argc, char** argv) { return firth::fuzz::run(argc, argv, firth::fuzz::one); }
