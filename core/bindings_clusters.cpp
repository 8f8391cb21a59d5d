// Python bindings of the clustering kernels.
#include <cmath>
#include <limits>

#include "bindings.hpp"
#include "brown.hpp"
#include "merge.hpp"
#include "ward.hpp"

namespace {

using namespace firth::python;

using Vectors = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::tuple tree_of(firth::Tree&& tree) {
    return nb::make_tuple(array(std::move(tree.children)), array(std::move(tree.costs)),
                          tree.tightenings);
}

nb::tuple ward_of(const Vectors& vectors, const In<double>& weights, std::size_t active,
                  unsigned threads, const nb::object& progress) {
    const std::size_t points = vectors.shape(0);
    check(points >= 1 && points < (1U << 30), "there must be from 1 to 2^30 - 1 points");
    check(vectors.shape(1) >= 1 && active >= 1,
          "there must be at least one dimension and one active cluster");
    check(weights.size() == points, "there must be one weight per point");
    const float* const entries = vectors.data();
    firth::Tree tree;
    {
        const nb::gil_scoped_release unlock;
        for (std::size_t i = 0; i < vectors.size(); ++i)
            check(std::isfinite(entries[i]), "vectors must be finite");
        for (std::size_t i = 0; i < points; ++i)
            check(weights.data()[i] >= 0x1p-53 && weights.data()[i] <= 0x1p53,
                  "weights must be from 2^-53 to 2^53");
        tree = firth::ward(entries, weights.data(), points, vectors.shape(1), active, threads,
                           poll_for(progress));
    }
    return tree_of(std::move(tree));
}

// Checks a count matrix in compressed rows: one row and one column per word, finite counts.
firth::Followers followers_of(const In<std::int64_t>& starts, const In<std::int32_t>& columns,
                              const In<double>& counts, std::size_t words, unsigned threads) {
    check(starts.size() == words + 1, "there must be one row per word");
    check(counts.size() == columns.size(), "there must be as many counts as columns");
    const nb::gil_scoped_release unlock;
    check(firth::sound_rows(starts.data(), words, columns.data(),
                            static_cast<std::int64_t>(counts.size()),
                            static_cast<std::int64_t>(words), threads),
          "rows or columns are out of order");
    for (std::size_t i = 0; i < counts.size(); ++i)
        check(counts.data()[i] >= 0 && counts.data()[i] < 0x1p53, "expected counts from 0 to 2^53");
    return {starts.data(), columns.data(), counts.data()};
}

nb::tuple brown_of(const In<std::int64_t>& after_starts, const In<std::int32_t>& after_columns,
                   const In<double>& after_counts, const In<std::int64_t>& before_starts,
                   const In<std::int32_t>& before_columns, const In<double>& before_counts,
                   const In<double>& frequencies, std::size_t active, unsigned threads,
                   const nb::object& progress) {
    const std::size_t words = frequencies.size();
    check(words >= 1 && words < (1U << 30) && active >= 1,
          "there must be at least one word and one active cluster");
    const firth::Followers after =
        followers_of(after_starts, after_columns, after_counts, words, threads);
    const firth::Followers before =
        followers_of(before_starts, before_columns, before_counts, words, threads);
    for (std::size_t i = 0; i < words; ++i)
        check(frequencies.data()[i] >= 1 && frequencies.data()[i] < 0x1p53,
              "expected frequencies from 1 to 2^53");
    firth::Tree tree;
    {
        const nb::gil_scoped_release unlock;
        tree = firth::brown(after, before, frequencies.data(), words, active, threads,
                            poll_for(progress));
    }
    return tree_of(std::move(tree));
}

}  // namespace

namespace firth::python {

void bind_clusters(nb::module_& m) {
    m.def("brown", &brown_of, "after_starts"_a, "after_columns"_a, "after_counts"_a,
          "before_starts"_a, "before_columns"_a, "before_counts"_a, "frequencies"_a, "active"_a,
          "threads"_a, "progress"_a.none());
    m.def("ward", &ward_of, "vectors"_a, "weights"_a, "active"_a, "threads"_a, "progress"_a.none());
}

}  // namespace firth::python
