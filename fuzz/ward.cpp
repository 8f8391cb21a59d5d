// Ward's clustering on several threads, against one thread and an oracle that tries every pair.
#include "ward.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "inputs.hpp"
#include "means.hpp"
#include "ties.hpp"

namespace firth::fuzz {
namespace {

struct Points {
    std::size_t count = 1;
    std::size_t width = 1;
    std::vector<float> vectors;
    std::vector<double> weights;
};

// Returns one of few distinct values, if coarse, so that many distances are equal.
float entry(Random& random, bool coarse) {
    if (coarse) return static_cast<float>(random.below(3));
    if (random.one_in(50)) return random.one_in(2) ? 3e38F : 1e-44F;
    return static_cast<float>(static_cast<double>(random.below(2000001)) / 1e6 - 1);
}

Points make_points(Random& random) {
    Points points;
    // With more than 128 points a second block is multiplied ahead; with more than 64 there are two
    // blocks of means.
    points.count = random.between(1, random.one_in(8) ? 300 : 30);
    points.width = random.between(1, random.one_in(4) ? 40 : 5);
    const bool coarse = random.one_in(2);
    const bool weighted = random.one_in(2);
    for (std::size_t i = 0; i < points.count * points.width; ++i)
        points.vectors.push_back(entry(random, coarse));
    for (std::size_t i = 0; i < points.count; ++i) {
        points.weights.push_back(weighted ? static_cast<double>(random.between(1, 1000)) : 1.0);
        if (weighted && random.one_in(50)) points.weights.back() = random.one_in(2) ? 0x1p53 : 1e-9;
    }
    return points;
}

struct Cluster {
    double size;
    std::vector<double> mean;
};

// Compares every pair of active clusters, by age, and merges the first that may cost least.
struct Oracle {
    std::map<std::int32_t, Cluster> clusters;
    std::vector<std::int32_t> children;
    std::vector<double> costs;
    double slack = 0;  // of a distance

    static double both(const Cluster& a, const Cluster& b) {
        return a.size * b.size / (a.size + b.size);
    }

    static double square(const Cluster& a, const Cluster& b) {
        return squared_distance(a.mean.data(), b.mean.data(), a.mean.size());
    }

    void merge(std::size_t points) {
        double most = std::numeric_limits<double>::infinity();
        for (auto a = clusters.begin(); a != clusters.end(); ++a) {
            for (auto b = std::next(a); b != clusters.end(); ++b) {
                const double far = std::sqrt(square(a->second, b->second)) + slack;
                most = std::min(most, both(a->second, b->second) * (far * far));
            }
        }
        auto older = clusters.end();
        auto younger = clusters.end();
        for (auto a = clusters.begin(); older == clusters.end(); ++a) {
            for (auto b = std::next(a); b != clusters.end() && older == clusters.end(); ++b) {
                const double near = std::max(0.0, std::sqrt(square(a->second, b->second)) - slack);
                if (!(both(a->second, b->second) * (near * near) <= most)) continue;
                older = a;
                younger = b;
            }
        }
        const double least =
            both(older->second, younger->second) * square(older->second, younger->second);
        Cluster made = older->second;
        const Cluster& other = younger->second;
        blend(made.mean.data(), made.size, other.mean.data(), other.size, made.mean.size());
        made.size += other.size;
        children.insert(children.end(), {older->first, younger->first});
        clusters.erase(older);
        clusters.erase(younger);
        clusters.emplace(static_cast<std::int32_t>(points + costs.size()), std::move(made));
        costs.push_back(least);
    }

    void run(const Points& points, std::size_t active) {
        const std::size_t padded = (points.width + kLanes - 1) / kLanes * kLanes;
        double longest = 0;
        for (std::size_t i = 0; i < points.count; ++i) {
            double length = 0;
            for (std::size_t k = 0; k < points.width; ++k) {
                const double x = points.vectors[i * points.width + k];
                length += x * x;
            }
            longest = std::max(longest, length);
        }
        slack = kTie / 2 * std::sqrt(longest);
        for (std::size_t i = 0; i < points.count; ++i) {
            Cluster one{points.weights[i], std::vector<double>(padded)};
            for (std::size_t k = 0; k < points.width; ++k)
                one.mean[k] = points.vectors[i * points.width + k];
            clusters.emplace(static_cast<std::int32_t>(i), std::move(one));
            if (clusters.size() > active) merge(points.count);
        }
        while (clusters.size() > 1) merge(points.count);
    }
};

Tree tree_of(const Points& points, std::size_t active, unsigned threads) {
    return ward(points.vectors.data(), points.weights.data(), points.count, points.width, active,
                threads, [](std::size_t, std::size_t) {});
}

template <class T>
bool same(const Pages<T>& a, const T* b, std::size_t size) {
    return a.size() == size && (size == 0 || std::memcmp(a.data(), b, size * sizeof(T)) == 0);
}

void one(Random& random) {
    const Points points = make_points(random);
    const std::size_t active = random.between(1, points.count + 5);
    const auto threads = static_cast<unsigned>(random.between(2, 5));
    const Tree tree = tree_of(points, active, threads);
    const Tree alone = tree_of(points, active, random.one_in(8) ? 0 : 1);
    check(same(tree.children, alone.children.data(), alone.children.size()) &&
              same(tree.costs, alone.costs.data(), alone.costs.size()) &&
              tree.tightenings == alone.tightenings,
          "the tree depends on the threads");
    if (points.count > 40 && active > 20) return;  // too many pairs to try each time
    Oracle oracle;
    oracle.run(points, active);
    check(same(tree.children, oracle.children.data(), oracle.children.size()),
          "the merges are wrong");
    check(same(tree.costs, oracle.costs.data(), oracle.costs.size()), "the costs are wrong");
}

}  // namespace
}  // namespace firth::fuzz

int main(int argc, char** argv) { return firth::fuzz::run(argc, argv, firth::fuzz::one); }
