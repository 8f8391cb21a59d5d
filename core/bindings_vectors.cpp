// Python bindings of the readers and writers of vectors.
#include "bindings.hpp"
#include "vectors_binary.hpp"
#include "vectors_text.hpp"

namespace firth::python {
namespace {

using Kind = VectorFault::Kind;

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::few:
            return "few";
        case Kind::many:
            return "many";
        case Kind::blank:
            return "blank";
        case Kind::malformed:
            return "malformed";
        case Kind::infinite:
            return "infinite";
        case Kind::lengthy:
            return "lengthy";
        case Kind::cut:
            return "cut";
        case Kind::none:
            break;
    }
    return "none";
}

// Returns (kind, line, found, word, field), or None if there is no fault.
template <class Reader>
nb::object fault(const Reader& self) {
    const VectorFault& fault = self.fault();
    if (!fault) return nb::none();
    return nb::make_tuple(name_of(fault.kind), fault.line, fault.found,
                          decoded(fault.word, "replace"), decoded(fault.field, "replace"));
}

// Returns (words, values, lines) and leaves the reader empty.
template <class Reader>
nb::tuple take(Reader& self) {
    check(!self.fault(), "rows cannot be taken after a fault");
    VectorRows rows = std::move(self.rows());
    nb::list words;
    for (std::size_t row = 0; row < rows.size(); ++row)
        words.append(decoded(rows.word(row), "strict"));
    return nb::make_tuple(words, array(std::move(rows.values)), array(std::move(rows.lines)));
}

bool text_add(VectorText& self, const In<std::uint8_t>& lines, unsigned threads) {
    const nb::object no_progress = nb::none();
    const nb::gil_scoped_release unlock;
    return self.add(text_of(lines), threads, poll_for(no_progress));
}

std::size_t binary_add(VectorBinary& self, const In<std::uint8_t>& bytes, bool last) {
    const nb::gil_scoped_release unlock;
    return self.add(text_of(bytes), last);
}

Out<std::int64_t> runs(const In<std::uint8_t>& text, std::size_t most, bool named) {
    return array(number_runs(text_of(text), most, named));
}

// Returns the place of the first word that would be read back as another word, or -1.
std::int64_t first_ambiguous(const std::vector<std::string>& words) {
    const auto found = std::find_if(words.begin(), words.end(), ends_in_number);
    return found == words.end() ? -1 : found - words.begin();
}

Out<char> format_vectors(const In<float>& values, std::size_t dimension,
                         const std::optional<std::vector<std::string>>& words, char separator,
                         unsigned threads) {
    check(dimension >= 1 && values.size() % dimension == 0, "values must be rows x dimension");
    const std::size_t rows = values.size() / dimension;
    check(!words || words->size() == rows, "there must be as many words as rows");
    std::string text;
    std::vector<std::uint64_t> ends;
    Pages<char> out;
    const nb::object no_progress = nb::none();
    {
        const nb::gil_scoped_release unlock;
        if (words) {
            for (const std::string& word : *words) {
                text += word;
                ends.push_back(text.size());
            }
        }
        out = write_vectors(values.data(), rows, dimension, text, words ? ends.data() : nullptr,
                            separator, threads, poll_for(no_progress));
    }
    return array(std::move(out));
}

}  // namespace

void bind_vectors(nb::module_& m) {
    m.attr("LONGEST_WORD") = kLongestWord;
    m.def("number_runs", &runs, "text"_a, "most"_a, "named"_a);
    m.def("first_ambiguous", &first_ambiguous, "words"_a);
    m.def("format_vectors", &format_vectors, "values"_a, "dimension"_a, "words"_a.none(),
          "separator"_a, "threads"_a);
    nb::class_<VectorText>(m, "VectorText")
        .def(nb::init<std::size_t, bool, std::int64_t>(), "dimension"_a, "named"_a, "first_line"_a)
        .def("add", &text_add, "lines"_a, "threads"_a)
        .def("fault", &fault<VectorText>)
        .def("take", &take<VectorText>);
    nb::class_<VectorBinary>(m, "VectorBinary")
        .def(nb::init<std::size_t>(), "dimension"_a)
        .def("add", &binary_add, "data"_a, "last"_a)
        .def("fault", &fault<VectorBinary>)
        .def("take", &take<VectorBinary>);
}

}  // namespace firth::python
