// Python bindings of the kernels of word senses.
#include "bindings.hpp"
#include "slice.hpp"

namespace {

using namespace firth::python;

nb::tuple slice_of(const In<std::int64_t>& starts, const In<std::int32_t>& columns,
                   const In<float>& values, std::size_t width, const In<std::int32_t>& kept) {
    check(starts.size() >= 1, "row starts must not be empty");
    check(values.size() == columns.size(), "there must be as many values as columns");
    const std::size_t rows = starts.size() - 1;
    std::int64_t before = -1;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const std::int32_t row = kept.data()[i];
        check(row > before && static_cast<std::size_t>(row) < std::min(rows, width),
              "the kept rows must rise, and be rows and columns of the matrix");
        const std::int64_t begin = starts.data()[row];
        const std::int64_t end = starts.data()[row + 1];
        check(begin >= 0 && begin <= end && end <= static_cast<std::int64_t>(columns.size()),
              "rows or columns are out of order");
        before = row;
    }
    const firth::SparseRows a{starts.data(), columns.data(), values.data(), rows, width};
    firth::Slice found;
    bool sound = false;
    {
        const nb::gil_scoped_release unlock;
        sound = firth::slice(a, kept.data(), kept.size(), found);
    }
    check(sound, "rows or columns are out of order");
    return nb::make_tuple(array(std::move(found.starts)), array(std::move(found.columns)),
                          array(std::move(found.values)));
}

}  // namespace

namespace firth::python {

void bind_senses(nb::module_& m) {
    m.def("within", &slice_of, "starts"_a, "columns"_a, "values"_a, "width"_a, "kept"_a);
}

}  // namespace firth::python
