// Weighted factorisations for Python.
#include <memory>
#include <optional>

#include "adagrad.hpp"
#include "bindings.hpp"
#include "merge.hpp"
#include "model.hpp"
#include "sparse.hpp"
#include "weighted.hpp"

namespace {

using namespace firth::python;

template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The cells of a matrix, found sound when they were given, and what holds their arrays.
class Cells {
  public:
    nb::tuple solve(const Matrix<const float>& other, const Matrix<float>& rows,
                    const std::optional<In<float>>& offsets, const In<double>& unseen_rows,
                    const std::optional<In<float>>& unseen_columns,
                    const In<double>& unseen_diagonal, const In<double>& pull, double constant,
                    double target, const In<double>& ridge_rows, const In<double>& ridge_diagonal,
                    std::size_t steps, unsigned threads, const nb::object& progress,
                    double relaxation) const {
        const std::size_t stride = other.shape(1);
        const firth::ObservedBlocks observed(blocks());
        const std::size_t height = observed.rows();
        const std::size_t width = observed.width();
        check(stride > 0 && stride % firth::kRowFloats == 0, "rows must be multiples of 16 floats");
        check(rows.shape(1) == stride && rows.shape(0) == height && other.shape(0) == width,
              "the factors do not fit the matrix");
        check(unseen_rows.size() == height && ridge_rows.size() == height, "a number per row");
        check((!offsets || offsets->size() == width) &&
                  (!unseen_columns || unseen_columns->size() == width),
              "a number per column");
        check(unseen_diagonal.size() == stride && pull.size() == stride &&
                  ridge_diagonal.size() == stride,
              "a number per coordinate");
        check(relaxation > 0 && relaxation < 2, "the relaxation must lie between 0 and 2");
        const firth::Side side{other.data(), rows.data(), stride,
                               offsets ? offsets->data() : nullptr};
        const firth::Unseen unseen{unseen_rows.data(),
                                   unseen_columns ? unseen_columns->data() : nullptr,
                                   unseen_diagonal.data(),
                                   pull.data(),
                                   constant,
                                   static_cast<float>(target)};
        const firth::Ridge ridge{ridge_rows.data(), ridge_diagonal.data()};
        firth::Pages<double> before(height);
        firth::Pages<double> after(height);
        {
            const nb::gil_scoped_release unlock;
            firth::solve_rows(observed, side, unseen, ridge, {steps, relaxation}, before.data(),
                              after.data(), firth::widest_simd(), threads, poll_for(progress));
        }
        return nb::make_tuple(array(std::move(before)), array(std::move(after)));
    }

  protected:
    void check_rows(const In<std::int64_t>& starts, const In<std::int32_t>& columns,
                    std::size_t size, std::size_t width, unsigned threads) {
        check(starts.size() >= 1 && size == columns.size(), "arrays of unequal length");
        starts_ = starts;
        columns_ = columns;
        const nb::gil_scoped_release unlock;
        check(firth::sound_rows(starts.data(), starts.size() - 1, columns.data(),
                                static_cast<std::int64_t>(size), static_cast<std::int64_t>(width),
                                threads),
              "rows or columns are out of order");
    }

  public:
    // The blocks of columns that the cells are in.
    virtual std::vector<const firth::Observed*> blocks() const = 0;

    Cells() = default;
    virtual ~Cells() = default;
    Cells(const Cells&) = delete;
    Cells& operator=(const Cells&) = delete;
    Cells(Cells&&) = delete;
    Cells& operator=(Cells&&) = delete;

  private:
    In<std::int64_t> starts_;
    In<std::int32_t> columns_;
};

class CountCells final : public Cells {
  public:
    CountCells(const In<std::int64_t>& starts, const In<std::int32_t>& columns,
               const nb::object& values, In<double> of_row, In<float> of_column, double scale,
               double power, unsigned threads)
        : of_row_(std::move(of_row)), of_column_(std::move(of_column)) {
        firth::CountRows counts{starts.data(), columns.data(),    nullptr,
                                false,         starts.size() - 1, of_column_.size()};
        if (nb::try_cast(values, narrow_, false)) {
            counts.values = narrow_.data();
        } else {
            check(nb::try_cast(values, wide_, false), "values must be uint32 or uint64");
            counts.values = wide_.data();
            counts.wide = true;
        }
        check_rows(starts, columns, counts.wide ? wide_.size() : narrow_.size(), of_column_.size(),
                   threads);
        check(of_row_.size() == counts.rows, "a factor for each row");
        check(scale > 0, "the scale must be above zero");
        check(power >= 0 && power <= 2, "the power must lie between 0 and 2");
        observed_ = std::make_unique<firth::ObservedCounts>(counts, scale, power, of_row_.data(),
                                                            of_column_.data());
    }

    Out<double> weight_sums(unsigned threads, const nb::object& progress) const {
        firth::Pages<double> sums(observed_->rows());
        {
            const nb::gil_scoped_release unlock;
            observed_->weight_sums(sums.data(), threads, poll_for(progress));
        }
        return array(std::move(sums));
    }

    std::vector<const firth::Observed*> blocks() const override { return {observed_.get()}; }

  private:
    In<std::uint32_t> narrow_;
    In<std::uint64_t> wide_;
    In<double> of_row_;
    In<float> of_column_;
    std::unique_ptr<firth::ObservedCounts> observed_;
};

class ValueCells final : public Cells {
  public:
    ValueCells(const In<std::int64_t>& starts, const In<std::int32_t>& columns,
               std::optional<In<float>> weights, In<float> targets, std::size_t width,
               unsigned threads)
        : weights_(std::move(weights)), targets_(std::move(targets)) {
        check_rows(starts, columns, targets_.size(), width, threads);
        check(!weights_ || weights_->size() == targets_.size(), "as many weights as targets");
        observed_ = std::make_unique<firth::ObservedValues>(
            starts.data(), columns.data(), starts.size() - 1, width,
            weights_ ? weights_->data() : nullptr, targets_.data());
    }

    std::vector<const firth::Observed*> blocks() const override { return {observed_.get()}; }

  private:
    std::optional<In<float>> weights_;
    In<float> targets_;
    std::unique_ptr<firth::ObservedValues> observed_;
};

// Cells of matrices with the same rows, side by side.
class JoinedCells final : public Cells {
  public:
    explicit JoinedCells(const nb::list& parts) : held_(parts) {
        for (const auto part : parts) {
            const auto more = nb::cast<const Cells&>(part).blocks();
            blocks_.insert(blocks_.end(), more.begin(), more.end());
        }
        check(!blocks_.empty(), "there must be a matrix");
        for (const firth::Observed* const block : blocks_)
            check(block->rows() == blocks_[0]->rows(), "matrices of different heights");
    }
    std::vector<const firth::Observed*> blocks() const override { return blocks_; }

  private:
    nb::list held_;  // keeps the parts alive
    std::vector<const firth::Observed*> blocks_;
};

// The model at the cells of some rows, which were found sound when `Cells` were made of them.
Out<float> values_of_model(const In<std::int64_t>& starts, const In<std::int32_t>& columns,
                           std::size_t begin, std::size_t end, const Matrix<const float>& left,
                           const Matrix<const float>& right, unsigned threads,
                           const nb::object& progress) {
    const std::size_t stride = left.shape(1);
    const auto size = static_cast<std::int64_t>(columns.size());
    check(stride > 0 && stride % firth::kRowFloats == 0, "rows must be multiples of 16 floats");
    check(right.shape(1) == stride, "the factors do not fit each other");
    check(starts.size() == left.shape(0) + 1 && begin <= end && end <= left.shape(0),
          "the rows do not fit the factor");
    for (std::size_t row = begin; row < end; ++row)
        check(starts.data()[row] >= 0 && starts.data()[row] <= starts.data()[row + 1] &&
                  starts.data()[row + 1] <= size,
              "rows are out of order");
    const std::int64_t first = starts.data()[begin];
    const std::int64_t last = starts.data()[end];
    firth::Pages<float> values(last - first);
    {
        const nb::gil_scoped_release unlock;
        for (std::int64_t at = first; at < last; ++at)
            check(columns.data()[at] >= 0 &&
                      static_cast<std::size_t>(columns.data()[at]) < right.shape(0),
                  "columns are out of range");
        firth::model_values(starts.data(), columns.data(), begin, end,
                            {left.data(), right.data(), stride}, values.data(),
                            firth::widest_simd(), threads, poll_for(progress));
    }
    return array(std::move(values));
}

// One side of stochastic gradients, its arrays found to fit each other.
firth::Descending descending(const Matrix<float>& values, const Matrix<float>& squares,
                             const In<float>& moves, const In<float>& penalised,
                             const In<float>& penalty) {
    const std::size_t stride = values.shape(1);
    check(squares.shape(0) == values.shape(0) && squares.shape(1) == stride,
          "the squares do not fit the values");
    check(moves.size() == stride && penalised.size() == stride, "a number per coordinate");
    check(penalty.size() == values.shape(0), "a number per row");
    return {values.data(),    squares.data(), moves.data(),
            penalised.data(), penalty.data(), values.shape(0)};
}

double epoch_of_adagrad(const In<std::int64_t>& begins, const In<std::int32_t>& rows,
                        const In<std::int32_t>& columns, const In<float>& weights,
                        const In<float>& targets, const Matrix<float>& left,
                        const Matrix<float>& left_squares, const In<float>& left_moves,
                        const In<float>& left_penalty, const Matrix<float>& right,
                        const Matrix<float>& right_squares, const In<float>& right_moves,
                        const In<float>& right_penalty, const In<float>& penalised,
                        std::size_t batch, float rate, unsigned threads,
                        const nb::object& progress) {
    const firth::Descending of_left =
        descending(left, left_squares, left_moves, penalised, left_penalty);
    const firth::Descending of_right =
        descending(right, right_squares, right_moves, penalised, right_penalty);
    const std::size_t stride = left.shape(1);
    const std::size_t size = rows.size();
    check(stride > 0 && stride % firth::kRowFloats == 0 && right.shape(1) == stride,
          "the factors do not fit each other");
    check(batch > 0, "a batch must have a cell");
    check(columns.size() == size && weights.size() == size && targets.size() == size,
          "arrays of unequal length");
    constexpr std::size_t kParts = firth::kParts;
    check(begins.size() == kParts * kParts + 1, "a begin for each block");
    check(
        begins.data()[0] == 0 && begins.data()[kParts * kParts] == static_cast<std::int64_t>(size),
        "the blocks do not hold all cells");
    const nb::gil_scoped_release unlock;
    for (std::size_t block = 0; block < kParts * kParts; ++block) {
        check(begins.data()[block] <= begins.data()[block + 1], "blocks are out of order");
        for (std::int64_t at = begins.data()[block]; at < begins.data()[block + 1]; ++at) {
            const auto row = static_cast<std::size_t>(rows.data()[at]);
            const auto column = static_cast<std::size_t>(columns.data()[at]);
            check(rows.data()[at] >= 0 && row < of_left.rows && row % kParts == block / kParts &&
                      columns.data()[at] >= 0 && column < of_right.rows &&
                      column % kParts == block % kParts,
                  "a cell is not in its block");
        }
    }
    return firth::adagrad_epoch(
        {begins.data(), rows.data(), columns.data(), weights.data(), targets.data()}, of_left,
        of_right, stride, batch, rate, threads, poll_for(progress));
}

// A new array of the type of another, and where both lie.
template <class Number>
bool add_table(const nb::handle& values, std::size_t size, std::vector<firth::Table>& tables,
               nb::list& out) {
    In<Number> from;
    if (!nb::try_cast(values, from, false)) return false;
    check(from.size() == size, "as many values as columns");
    firth::Pages<Number> to(size);
    tables.push_back({from.data(), to.data(), sizeof(Number)});
    out.append(array(std::move(to)));
    return true;
}

nb::tuple transpose_tables(const In<std::int64_t>& starts, const In<std::int32_t>& columns,
                           const nb::list& values, std::size_t width, unsigned threads) {
    check(starts.size() >= 1, "row starts must not be empty");
    std::vector<firth::Table> tables;
    nb::list turned;
    for (const auto table : values)
        check(add_table<std::uint32_t>(table, columns.size(), tables, turned) ||
                  add_table<std::uint64_t>(table, columns.size(), tables, turned) ||
                  add_table<float>(table, columns.size(), tables, turned),
              "values must be uint32, uint64 or float32");
    const firth::SparseRows places{starts.data(), columns.data(), nullptr, starts.size() - 1,
                                   width};
    firth::Pages<std::int64_t> new_starts(width + 1);
    firth::Pages<std::int32_t> new_columns(columns.size());
    {
        const nb::gil_scoped_release unlock;
        check(firth::sound_rows(places.starts, places.rows, places.columns,
                                static_cast<std::int64_t>(columns.size()),
                                static_cast<std::int64_t>(width), threads),
              "rows or columns are out of order");
        firth::transpose(places, tables, new_starts.data(), new_columns.data(), threads);
    }
    return nb::make_tuple(array(std::move(new_starts)), array(std::move(new_columns)), turned);
}

}  // namespace

namespace firth::python {

void bind_weighted(nb::module_& m) {
    m.attr("ROW_FLOATS") = firth::kRowFloats;
    nb::class_<Cells>(m, "Cells")
        .def("solve", &Cells::solve, "other"_a, "rows"_a, "offsets"_a.none(), "unseen_rows"_a,
             "unseen_columns"_a.none(), "unseen_diagonal"_a, "pull"_a, "constant"_a, "target"_a,
             "ridge_rows"_a, "ridge_diagonal"_a, "steps"_a, "threads"_a, "progress"_a.none(),
             "relaxation"_a = 1.0);
    nb::class_<CountCells, Cells>(m, "CountCells")
        .def(nb::init<In<std::int64_t>, In<std::int32_t>, nb::object, In<double>, In<float>, double,
                      double, unsigned>(),
             "starts"_a, "columns"_a, "values"_a, "of_row"_a, "of_column"_a, "scale"_a, "power"_a,
             "threads"_a)
        .def("weight_sums", &CountCells::weight_sums, "threads"_a, "progress"_a.none());
    nb::class_<ValueCells, Cells>(m, "ValueCells")
        .def(nb::init<In<std::int64_t>, In<std::int32_t>, std::optional<In<float>>, In<float>,
                      std::size_t, unsigned>(),
             "starts"_a, "columns"_a, "weights"_a.none(), "targets"_a, "width"_a, "threads"_a);
    nb::class_<JoinedCells, Cells>(m, "JoinedCells").def(nb::init<nb::list>(), "parts"_a);
    m.attr("PARTS") = firth::kParts;
    m.def("adagrad_epoch", &epoch_of_adagrad, "begins"_a, "rows"_a, "columns"_a, "weights"_a,
          "targets"_a, "left"_a, "left_squares"_a, "left_moves"_a, "left_penalty"_a, "right"_a,
          "right_squares"_a, "right_moves"_a, "right_penalty"_a, "penalised"_a, "batch"_a, "rate"_a,
          "threads"_a, "progress"_a.none());
    m.def("model_values", &values_of_model, "starts"_a, "columns"_a, "begin"_a, "end"_a, "left"_a,
          "right"_a, "threads"_a, "progress"_a.none());
    m.def("transpose_tables", &transpose_tables, "starts"_a, "columns"_a, "values"_a, "width"_a,
          "threads"_a);
}

}  // namespace firth::python
