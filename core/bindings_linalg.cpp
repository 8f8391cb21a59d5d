// Python bindings of association and of sparse products.
#include <algorithm>
#include <string>
#include <type_traits>

#include "associate.hpp"
#include "background.hpp"
#include "bindings.hpp"
#include "merge.hpp"
#include "sparse.hpp"
#include "ties.hpp"

namespace {

using namespace firth::python;

template <class T>
using Panel = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Checks the arrays of a count matrix and wraps them for the kernels.
firth::CountRows counts_from(const In<std::int64_t>& starts, const In<std::int32_t>& columns,
                             const nb::object& values, std::size_t width, unsigned threads) {
    check(starts.size() >= 1, "row starts must not be empty");
    firth::CountRows counts{starts.data(), columns.data(),    nullptr,
                            false,         starts.size() - 1, width};
    std::size_t size = 0;
    In<std::uint32_t> narrow;
    In<std::uint64_t> wide;
    if (nb::try_cast(values, narrow, false)) {
        counts.values = narrow.data();
        size = narrow.size();
    } else {
        check(nb::try_cast(values, wide, false), "values must be uint32 or uint64");
        counts.values = wide.data();
        counts.wide = true;
        size = wide.size();
    }
    check(size == columns.size(), "there must be as many values as columns");
    const nb::gil_scoped_release unlock;
    check(firth::sound_rows(starts.data(), counts.rows, columns.data(),
                            static_cast<std::int64_t>(size), static_cast<std::int64_t>(width),
                            threads),
          "rows or columns are out of order");
    return counts;
}

nb::tuple marginals_of(const In<std::int64_t>& starts, const In<std::int32_t>& columns,
                       const nb::object& values, std::size_t width, unsigned threads) {
    const firth::CountRows counts = counts_from(starts, columns, values, width, threads);
    firth::Pages<std::int64_t> of_rows(counts.rows);
    firth::Pages<std::int64_t> of_columns(width);
    {
        const nb::gil_scoped_release unlock;
        firth::marginals(counts, of_rows.data(), of_columns.data(), threads);
    }
    return nb::make_tuple(array(std::move(of_rows)), array(std::move(of_columns)));
}

nb::tuple associate_counts(const In<std::int64_t>& starts, const In<std::int32_t>& columns,
                           const nb::object& values, const In<double>& of_row,
                           const In<double>& of_column, const std::string& transform,
                           double exponent, const std::string& kind, double unit, double threshold,
                           double power, double scale, unsigned threads,
                           const nb::object& progress) {
    using Weighing = firth::Association;
    const firth::CountRows counts = counts_from(starts, columns, values, of_column.size(), threads);
    check(of_row.size() == counts.rows, "there must be one factor per row");
    check(scale > 0 && power > 0, "scale and power must be above zero");
    Weighing weighing;
    check(transform == "power" || transform == "log1p" || transform == "log",
          "transform must be power, log1p or log");
    weighing.transform = transform == "power"   ? Weighing::Transform::power
                         : transform == "log1p" ? Weighing::Transform::log1p
                                                : Weighing::Transform::log;
    check(kind == "product" || kind == "logarithm" || kind == "soft",
          "kind must be product, logarithm or soft");
    weighing.kind = kind == "product"     ? Weighing::Scale::product
                    : kind == "logarithm" ? Weighing::Scale::logarithm
                                          : Weighing::Scale::soft;
    weighing.exponent = exponent;
    weighing.unit = unit;
    weighing.threshold = threshold;
    weighing.power = power;
    weighing.scale = scale;
    weighing.of_row = of_row.data();
    weighing.of_column = of_column.data();
    firth::FloatRows out;
    {
        const nb::gil_scoped_release unlock;
        out = firth::associate(counts, weighing, threads, poll_for(progress));
    }
    const nb::object own = out.same_columns ? nb::none() : nb::cast(array(std::move(out.columns)));
    return nb::make_tuple(array(std::move(out.starts)), own, array(std::move(out.values)));
}

// A sparse matrix whose rows and columns are checked once, when it is made, and not for each
// product. It shares its arrays with Python, which must not write to them.
class Sparse {
  public:
    Sparse(In<std::int64_t> starts, In<std::int32_t> columns, In<float> values, std::size_t width,
           unsigned threads)
        : starts_(std::move(starts)), columns_(std::move(columns)), values_(std::move(values)) {
        check(starts_.size() >= 1 && values_.size() == columns_.size(),
              "the arrays have different lengths");
        rows_ = {starts_.data(), columns_.data(), values_.data(), starts_.size() - 1, width};
        const nb::gil_scoped_release unlock;
        check(firth::sound_rows(rows_.starts, rows_.rows, rows_.columns,
                                static_cast<std::int64_t>(values_.size()),
                                static_cast<std::int64_t>(width), threads),
              "rows or columns are out of order");
    }

    // y = a x, or aᵀ x without building the transpose.
    void multiply(const Panel<const float>& x, const Panel<float>& y, bool transposed,
                  unsigned threads) const {
        const std::size_t in = transposed ? rows_.rows : rows_.width;
        const std::size_t out = transposed ? rows_.width : rows_.rows;
        check(x.shape(1) == firth::kPanel && y.shape(1) == firth::kPanel,
              "a panel must have 16 columns");
        check(x.shape(0) == in && y.shape(0) == out, "the panels do not fit the matrix");
        const nb::gil_scoped_release unlock;
        if (transposed) {
            firth::multiply_transposed(rows_, x.data(), y.data(), threads);
        } else {
            firth::multiply(rows_, x.data(), y.data(), threads);
        }
    }

    bool symmetric(unsigned threads) const {
        const nb::gil_scoped_release unlock;
        return firth::symmetric(rows_, threads);
    }

    Out<double> row_lengths(unsigned threads) const {
        firth::Pages<double> lengths(rows_.rows);
        {
            const nb::gil_scoped_release unlock;
            firth::row_lengths(rows_, lengths.data(), threads);
        }
        return array(std::move(lengths));
    }

    void unit_means(const In<double>& lengths, const In<std::int64_t>& order,
                    const In<std::int64_t>& groups, const Panel<float>& means,
                    unsigned threads) const {
        check(lengths.size() == rows_.rows, "a length for each row");
        check(groups.size() >= 1 && means.shape(0) + 1 == groups.size(), "a row for each group");
        check(means.shape(1) == rows_.width, "a mean for each column");
        const auto size = static_cast<std::int64_t>(order.size());
        check(groups.data()[0] == 0 && groups.data()[groups.size() - 1] == size,
              "groups must hold all rows in order");
        check(std::is_sorted(groups.data(), groups.data() + groups.size()), "groups must follow");
        check(std::all_of(order.data(), order.data() + order.size(),
                          [&](std::int64_t row) {
                              return row >= 0 && static_cast<std::size_t>(row) < rows_.rows;
                          }),
              "no such row");
        const nb::gil_scoped_release unlock;
        firth::unit_means(rows_, lengths.data(), order.data(), groups.data(), means.shape(0),
                          means.data(), threads);
    }

    nb::tuple transpose(unsigned threads) const {
        firth::Pages<float> values(values_.size());
        bool same = false;
        {
            const nb::gil_scoped_release unlock;
            same = firth::transpose_values(rows_, values.data(), threads);
        }
        if (same) return nb::make_tuple(starts_, columns_, array(std::move(values)));
        firth::Pages<std::int64_t> starts(rows_.width + 1);
        firth::Pages<std::int32_t> columns(values_.size());
        {
            const nb::gil_scoped_release unlock;
            firth::transpose(rows_, starts.data(), columns.data(), values.data(), threads);
        }
        return nb::make_tuple(array(std::move(starts)), array(std::move(columns)),
                              array(std::move(values)));
    }

  private:
    In<std::int64_t> starts_;
    In<std::int32_t> columns_;
    In<float> values_;
    firth::SparseRows rows_{};
};

}  // namespace

namespace firth::python {

void bind_linalg(nb::module_& m) {
    nb::register_exception_translator([](const std::exception_ptr& e, void*) {
        try {
            std::rethrow_exception(e);
        } catch (const std::domain_error& error) {
            PyErr_SetString(PyExc_ArithmeticError, error.what());
        }
    });
    m.attr("PANEL") = firth::kPanel;
    m.attr("TIE") = firth::kTie;
    m.attr("ROUNDING") = firth::kRounding;
    m.def("marginals", &marginals_of, "starts"_a, "columns"_a, "values"_a, "width"_a, "threads"_a);
    m.def("associate", &associate_counts, "starts"_a, "columns"_a, "values"_a, "of_row"_a,
          "of_column"_a, "transform"_a, "exponent"_a, "kind"_a, "unit"_a, "threshold"_a, "power"_a,
          "scale"_a, "threads"_a, "progress"_a.none());
    nb::class_<Sparse>(m, "Sparse")
        .def(nb::init<In<std::int64_t>, In<std::int32_t>, In<float>, std::size_t, unsigned>(),
             "starts"_a, "columns"_a, "values"_a, "width"_a, "threads"_a)
        .def("multiply", &Sparse::multiply, "x"_a, "y"_a, "transposed"_a, "threads"_a)
        .def("symmetric", &Sparse::symmetric, "threads"_a)
        .def("row_lengths", &Sparse::row_lengths, "threads"_a)
        .def("unit_means", &Sparse::unit_means, "lengths"_a, "order"_a, "groups"_a, "means"_a,
             "threads"_a)
        .def("transpose", &Sparse::transpose, "threads"_a);
}

}  // namespace firth::python
