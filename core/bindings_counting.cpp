// Python bindings of counting and of adding counts.
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "bindings.hpp"
#include "count.hpp"
#include "merge.hpp"
#include "stream.hpp"

namespace firth::python {
namespace {

// The arrays of a part: its tokens, its map and, where it is sampled, its thresholds.
struct PartArrays {
    In<std::uint32_t> ids;
    In<std::uint32_t> map;
    std::optional<In<std::uint32_t>> thresholds;
    std::uint64_t first = 0;
    std::uint64_t key = 0;

    explicit PartArrays(const nb::tuple& part)
        : ids(nb::cast<In<std::uint32_t>>(part[0])), map(nb::cast<In<std::uint32_t>>(part[1])) {
        if (part.size() == 2) return;
        check(part.size() == 5, "a part must be (ids, map) or (ids, map, thresholds, first, key)");
        thresholds = nb::cast<In<std::uint32_t>>(part[2]);
        check(thresholds->size() == map.size(), "a threshold for each type of a part");
        first = nb::cast<std::uint64_t>(part[3]);
        key = nb::cast<std::uint64_t>(part[4]);
    }

    firth::Tokens tokens() const {
        firth::Tokens found{{ids.data(), ids.size()}, {map.data(), map.size()}};
        if (thresholds) found.sampling = {{thresholds->data(), thresholds->size()}, first, key};
        return found;
    }
};

template <class Id>
nb::tuple place(const nb::list& parts, const InOut<Id>& out, unsigned threads) {
    std::vector<PartArrays> held;  // keeps the arrays alive
    for (const auto part : parts) {
        const auto arrays = nb::cast<nb::tuple>(part);
        check(arrays.size() >= 2, "a part must have ids and a map");
        held.emplace_back(arrays);
    }
    std::vector<firth::Tokens> tokens;
    tokens.reserve(held.size());
    for (const PartArrays& part : held) tokens.push_back(part.tokens());
    firth::Placed placed;
    {
        const nb::gil_scoped_release unlock;
        placed = firth::place<Id>(tokens, {out.data(), out.size()}, threads);
    }
    return nb::make_tuple(placed.positions, placed.sampled_out);
}

template <class Id>
nb::tuple bucket(const In<Id>& stream, std::size_t first, std::size_t last, std::size_t rows,
                 unsigned threads) {
    check(first <= last && last <= stream.size(), "positions lie outside the stream");
    check(rows < firth::kDropped, "too many rows");
    firth::Pages<std::int64_t> starts(rows + 1);
    firth::Pages<std::uint32_t> postings(last - first);
    {
        const nb::gil_scoped_release unlock;
        firth::bucket(stream.data(), first, last, rows, starts.data(), postings.data(), threads);
    }
    postings.resize(static_cast<std::size_t>(starts[rows]));
    return nb::make_tuple(array(std::move(starts)), array(std::move(postings)));
}

// Where finished rows go: to open files given as (columns, values, offset), to one open file for
// packed rows, or, if None, to memory.
struct Sink {
    firth::Pages<std::int64_t> starts;
    firth::RowSink rows;

    Sink(std::size_t count, const nb::object& files)
        : starts(count + 1), rows(row_files(files), starts.data(), count) {}

    static firth::RowFiles row_files(const nb::object& files) {
        if (files.is_none()) return {};
        if (nb::isinstance<nb::int_>(files)) return {.packed = nb::cast<int>(files)};
        const auto t = nb::cast<nb::tuple>(files);
        check(t.size() == 3, "files must be one file or (columns, values, offset)");
        return {.columns = nb::cast<int>(t[0]),
                .values = nb::cast<int>(t[1]),
                .offset = nb::cast<std::size_t>(t[2])};
    }

    // Returns (starts, size, wide, columns, values); the last two are None if rows went to files.
    nb::tuple result(bool to_files) {
        nb::object columns = nb::none();
        nb::object values = nb::none();
        if (!to_files) {
            columns = nb::cast(array(std::move(rows.columns())));
            values = rows.wide() ? nb::cast(array(std::move(rows.wide_values())))
                                 : nb::cast(array(std::move(rows.narrow_values())));
        }
        return nb::make_tuple(array(std::move(starts)), rows.size(), rows.wide(), columns, values);
    }
};

void check_starts(const std::int64_t* starts, std::size_t rows, std::size_t size) {
    check(starts[0] == 0 && starts[rows] == static_cast<std::int64_t>(size),
          "row starts must run from 0 to the number of entries");
    for (std::size_t r = 0; r < rows; ++r)
        check(starts[r] <= starts[r + 1], "row starts must rise");
}

firth::Blocks blocks_from(const std::string& name) {
    if (name == "window") return firth::Blocks::window;
    check(name == "sides" || name == "offsets", "blocks must be window, sides or offsets");
    return name == "sides" ? firth::Blocks::sides : firth::Blocks::offsets;
}

template <class Id>
nb::tuple count_rows(const In<Id>& contexts, std::size_t universe, std::size_t columns,
                     const In<std::int64_t>& starts, const In<std::uint32_t>& positions,
                     const std::optional<In<std::int32_t>>& leave_out,
                     const std::vector<std::uint64_t>& left,
                     const std::vector<std::uint64_t>& right, const std::string& blocks,
                     const nb::object& files, unsigned threads, const nb::object& progress) {
    check(starts.size() >= 1, "row starts must not be empty");
    const std::size_t rows = starts.size() - 1;
    check(columns <= universe, "columns must not exceed the number of ids");
    check(universe < firth::kDropped && universe <= firth::kEndOfLine<Id>, "too many distinct ids");
    check(!leave_out || leave_out->size() == rows, "leave_out must have one column per row");
    for (const auto* side : {&left, &right})
        for (const std::uint64_t weight : *side)
            check(weight > 0 && weight < (std::uint64_t{1} << 32),
                  "weights must be from 1 to 2^32 - 1");
    const firth::Blocks apart = blocks_from(blocks);
    const std::size_t most = apart == firth::Blocks::window  ? 1
                             : apart == firth::Blocks::sides ? 2
                                                             : left.size() + right.size();
    check(columns * std::max<std::size_t>(most, 1) < (std::size_t{1} << 31),
          "there must be fewer than 2^31 columns");
    Sink sink(rows, files);
    {
        const nb::gil_scoped_release unlock;
        check_starts(starts.data(), rows, positions.size());
        const firth::Postings<Id> postings{contexts.data(),
                                           universe,
                                           columns,
                                           starts.data(),
                                           positions.data(),
                                           rows,
                                           leave_out ? leave_out->data() : nullptr};
        const char* const wrong = firth::flaw(postings, contexts.size(), threads);
        check(wrong == nullptr, wrong);
        firth::count_rows(postings, {left, right, apart}, sink.rows, threads, poll_for(progress));
    }
    return sink.result(!files.is_none());
}

// Casts without conversion: a converted copy would be freed before the kernel reads it.
template <class T>
In<T> unconverted(const nb::handle& array) {
    return nb::cast<In<T>>(array, false);
}

// Reads a matrix to add from a dict of arrays.
firth::Source source_from(const nb::dict& d) {
    firth::Source s;
    s.wide = nb::cast<bool>(d["wide"]);
    s.rows = nb::cast<std::size_t>(d["rows"]);
    s.width = nb::cast<std::size_t>(d["width"]);
    const auto starts = unconverted<std::int64_t>(d["starts"]);
    const auto columns = unconverted<std::int32_t>(d["columns"]);
    const std::size_t size = columns.size();
    check(starts.size() == s.rows + 1, "the arrays have different lengths");
    s.starts = starts.data();
    s.columns = columns.data();
    s.size = static_cast<std::int64_t>(size);
    if (s.wide) {
        const auto values = unconverted<std::uint64_t>(d["values"]);
        check(values.size() == size, "the arrays have different lengths");
        s.values = values.data();
    } else {
        const auto values = unconverted<std::uint32_t>(d["values"]);
        check(values.size() == size, "the arrays have different lengths");
        s.values = values.data();
    }
    return s;
}

void check_sum(std::size_t rows, std::size_t columns) {
    check(rows < firth::kDropped, "too many rows");
    check(columns < (std::size_t{1} << 31), "there must be fewer than 2^31 columns");
}

nb::tuple merge_rows(const nb::list& matrices, std::size_t rows, std::size_t columns,
                     std::uint64_t limit, const nb::object& files, unsigned threads,
                     const nb::object& progress) {
    check_sum(rows, columns);
    std::vector<firth::Source> sources;
    for (const nb::handle item : matrices) {
        const auto d = nb::cast<nb::dict>(item);
        firth::Source s = source_from(d);
        if (d.contains("row_of")) {
            const auto map = unconverted<std::int64_t>(d["row_of"]);
            check(map.size() == rows, "row_of must have one entry per row of the sum");
            s.row_of = map.data();
        }
        if (d.contains("column_to")) {
            const auto map = unconverted<std::int32_t>(d["column_to"]);
            check(map.size() == s.width, "column_to must have one entry per source column");
            for (std::size_t i = 0; i < map.size(); ++i)
                check(map(i) >= 0 && static_cast<std::size_t>(map(i)) < columns,
                      "a column lies outside the sum");
            s.column_to = map.data();
        }
        if (s.row_of == nullptr) check(s.rows >= rows, "a source has too few rows");
        sources.push_back(s);
    }
    Sink sink(rows, files);
    {
        const nb::gil_scoped_release unlock;
        firth::merge_rows(sources, rows, columns, limit, sink.rows, threads, poll_for(progress));
    }
    return sink.result(!files.is_none());
}

nb::tuple merge_runs(const std::vector<std::tuple<int, int, std::int64_t>>& files_of_runs,
                     std::size_t offset, std::size_t rows, std::size_t columns, std::uint64_t limit,
                     std::size_t batch, const nb::object& files, unsigned threads,
                     const nb::object& progress) {
    check_sum(rows, columns);
    std::vector<firth::Run> runs;
    runs.reserve(files_of_runs.size());
    for (const auto& [starts, packed, size] : files_of_runs)
        runs.push_back({starts, packed, offset, size});
    Sink sink(rows, files);
    {
        const nb::gil_scoped_release unlock;
        firth::merge_runs(runs, rows, columns, limit, batch, sink.rows, threads,
                          poll_for(progress));
    }
    return sink.result(!files.is_none());
}

// Whether row starts never decrease, and the columns of each row increase and lie below `width`.
bool sound(const In<std::int64_t>& starts, const In<std::int32_t>& columns, std::int64_t width,
           unsigned threads) {
    check(starts.size() >= 1, "row starts must not be empty");
    const std::size_t rows = starts.size() - 1;
    const nb::gil_scoped_release unlock;
    return firth::sound_rows(starts.data(), rows, columns.data(),
                             static_cast<std::int64_t>(columns.size()), width, threads);
}

// Binds the functions of a stream, for ids of one type.
template <class Id>
void bind_stream(nb::module_& m) {
    m.def("place", &place<Id>, "parts"_a, "out"_a, "threads"_a);
    m.def("bucket", &bucket<Id>, "stream"_a, "first"_a, "last"_a, "rows"_a, "threads"_a);
    m.def("count_rows", &count_rows<Id>, "contexts"_a, "universe"_a, "columns"_a, "starts"_a,
          "positions"_a, "leave_out"_a.none(), "left"_a, "right"_a, "blocks"_a, "files"_a.none(),
          "threads"_a, "progress"_a.none());
}

}  // namespace

void bind_counting(nb::module_& m) {
    m.attr("DROPPED") = firth::kDropped;
    m.def("sound", &sound, "starts"_a, "columns"_a, "width"_a, "threads"_a);
    bind_stream<std::uint16_t>(m);
    bind_stream<std::uint32_t>(m);
    m.def("merge_rows", &merge_rows, "matrices"_a, "rows"_a, "columns"_a, "limit"_a,
          "files"_a.none(), "threads"_a, "progress"_a.none());
    m.def("merge_runs", &merge_runs, "runs"_a, "offset"_a, "rows"_a, "columns"_a, "limit"_a,
          "batch"_a, "files"_a.none(), "threads"_a, "progress"_a.none());
}

}  // namespace firth::python
