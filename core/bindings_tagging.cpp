// Python bindings of the perceptron tagger.
#include "bindings.hpp"
#include "perceptron.hpp"

namespace {

using namespace firth::python;

template <class T>
using Table = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Whether offsets begin at 0, never decrease and end at `end`.
bool are_offsets(const In<std::int64_t>& starts, std::size_t end) {
    if (starts.size() == 0 || starts.data()[0] != 0) return false;
    for (std::size_t i = 1; i < starts.size(); ++i)
        if (starts.data()[i] < starts.data()[i - 1]) return false;
    return starts.data()[starts.size() - 1] == static_cast<std::int64_t>(end);
}

template <class T>
bool within(const T* values, std::size_t size, std::int64_t least, std::size_t end) {
    return std::all_of(values, values + size, [&](T value) {
        return value >= least && static_cast<std::int64_t>(value) < static_cast<std::int64_t>(end);
    });
}

// Sentences whose indices are checked once, when they are made. They share their arrays with
// Python, which must not write to them.
class Sentences {
  public:
    Sentences(In<std::int64_t> sentences, In<std::int64_t> starts, In<std::int32_t> features,
              std::size_t width, Table<const std::int32_t> rows, Table<const float> table)
        : sentences_(std::move(sentences)),
          starts_(std::move(starts)),
          features_(std::move(features)),
          rows_(std::move(rows)),
          table_(std::move(table)),
          width_(width) {
        check(starts_.size() >= 1, "starts must not be empty");
        check(are_offsets(sentences_, size()), "sentences are out of order");
        check(are_offsets(starts_, features_.size()), "features are out of order");
        check(within(features_.data(), features_.size(), 0, width), "a feature is out of range");
        check(rows_.shape(0) == size(), "there must be as many rows of vectors as tokens");
        check(within(rows_.data(), rows_.size(), -1, table_.shape(0)),
              "a row of the table is out of range");
        tokens_ = {sentences_.data(), sentences_.size() - 1, starts_.data(), features_.data(),
                   rows_.data(),      rows_.shape(1),        table_.data(),  table_.shape(1)};
    }

    std::size_t size() const { return starts_.size() - 1; }

    std::int64_t epoch(std::size_t tags, const In<std::int32_t>& gold,
                       const In<std::int64_t>& order, const Table<double>& weights,
                       const Table<double>& totals, std::int64_t step,
                       const nb::object& progress) const {
        const firth::TaggingWeights shape = shape_of(tags, weights.shape(0), weights.shape(1));
        check(totals.shape(0) == weights.shape(0) && totals.shape(1) == weights.shape(1),
              "totals and weights must have one shape");
        check(gold.size() == size() && within(gold.data(), gold.size(), 0, tags),
              "gold must have one valid tag per token");
        check(order.size() == tokens_.count && within(order.data(), order.size(), 0, tokens_.count),
              "order must have one sentence number per sentence");
        check(step >= 0, "steps must not be negative");
        const nb::gil_scoped_release unlock;
        return static_cast<std::int64_t>(
            firth::perceptron_epoch(tokens_, shape, gold.data(), order.data(), weights.data(),
                                    totals.data(), step, poll_for(progress)));
    }

    Out<std::int32_t> tag(std::size_t tags, const Table<const double>& weights,
                          const Table<const std::uint8_t>& allowed,
                          const nb::object& progress) const {
        const firth::TaggingWeights shape = shape_of(tags, weights.shape(0), weights.shape(1));
        check(allowed.shape(0) == tags + 1 && allowed.shape(1) == tags,
              "allowed must have one more row than tags, and a column per tag");
        for (std::size_t before = 0; before <= tags; ++before) {
            const std::uint8_t* row = allowed.data() + before * tags;
            check(std::any_of(row, row + tags, [](std::uint8_t may) { return may != 0; }),
                  "some tag must be allowed after every tag");
        }
        firth::Pages<std::int32_t> found(size());
        {
            const nb::gil_scoped_release unlock;
            firth::perceptron_tag(tokens_, shape, weights.data(), allowed.data(), found.data(),
                                  poll_for(progress));
        }
        return array(std::move(found));
    }

  private:
    firth::TaggingWeights shape_of(std::size_t tags, std::size_t rows, std::size_t width) const {
        const firth::TaggingWeights shape{width_, tags, width};
        // The weights have a row for each pair of tags: the number of rows must not overflow.
        check(tags >= 1 && tags < (std::size_t{1} << 20), "there must be from 1 to 2^20 - 1 tags");
        check(width >= tags && width % firth::kLanes == 0,
              "weights must have a multiple of 8 columns, and one per tag");
        check(rows == shape.rows(tokens_.slots, tokens_.dim),
              "the weights do not fit the sentences");
        return shape;
    }

    In<std::int64_t> sentences_;
    In<std::int64_t> starts_;
    In<std::int32_t> features_;
    Table<const std::int32_t> rows_;
    Table<const float> table_;
    std::size_t width_;
    firth::TaggingTokens tokens_{};
};

}  // namespace

namespace firth::python {

void bind_tagging(nb::module_& m) {
    m.attr("LANES") = firth::kLanes;
    nb::class_<Sentences>(m, "Sentences")
        .def(nb::init<In<std::int64_t>, In<std::int64_t>, In<std::int32_t>, std::size_t,
                      Table<const std::int32_t>, Table<const float>>(),
             "sentences"_a, "starts"_a, "features"_a, "width"_a, "rows"_a, "table"_a)
        .def("__len__", &Sentences::size)
        .def("epoch", &Sentences::epoch, "tags"_a, "gold"_a, "order"_a, "weights"_a, "totals"_a,
             "step"_a, "progress"_a.none())
        .def("tag", &Sentences::tag, "tags"_a, "weights"_a, "allowed"_a, "progress"_a.none());
}

}  // namespace firth::python
