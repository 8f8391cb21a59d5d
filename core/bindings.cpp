// Python bindings. Only the files named bindings* use the Python API: they check shapes, types and
// ranges, then call a kernel without the interpreter lock.
#include "bindings.hpp"

#include <optional>
#include <system_error>

#include "lexicon.hpp"
#include "tokenize.hpp"
#include "unicode.hpp"
#include "utf8.hpp"

namespace {

using namespace firth::python;

// The hash table of the last part that this thread tokenized, kept to be reused for the next.
thread_local firth::Types::Table spare_table;
constexpr std::size_t kMostSpare = std::size_t{1} << 18;  // slots, 2 MiB in all

nb::tuple tokenize(const In<std::uint8_t>& text, const std::string& tokenizer, bool lower,
                   bool last) {
    firth::Tokenizer kind{};
    if (tokenizer == "words") {
        kind = firth::Tokenizer::words;
    } else if (tokenizer == "whitespace") {
        kind = firth::Tokenizer::whitespace;
    } else {
        check(tokenizer == "ready", "tokenizer must be words, whitespace or ready");
        kind = firth::Tokenizer::ready;
    }
    firth::Part part = [&] {
        const nb::gil_scoped_release unlock;
        auto read = firth::tokenize(text_of(text), kind, lower, last, std::move(spare_table));
        spare_table = read.types.seal();
        if (firth::kSanitized || spare_table.size() > kMostSpare)
            spare_table = firth::Types::Table();
        return read;
    }();
    nb::dict seen;
    seen["lines"] = part.lines;
    seen["tokens"] = part.tokens;
    seen["invalid"] = part.invalid;
    seen["first_invalid"] = part.first_invalid;
    seen["nul"] = part.nul;
    return nb::make_tuple(
        array(std::move(part.ids)), array<std::uint8_t>(std::move(part.types.text())),
        array(std::move(part.types.ends())), array(std::move(part.types.counts())), seen);
}

Out<std::uint32_t> lexicon_merge(firth::Lexicon& self, const In<std::uint8_t>& text,
                                 const In<std::uint64_t>& ends, const In<std::int64_t>& counts) {
    check(ends.size() == counts.size(), "there must be as many ends as counts");
    firth::Pages<std::uint32_t> ids(ends.size());
    {
        const nb::gil_scoped_release unlock;
        self.merge(text_of(text), ends.data(), counts.data(), ends.size(), ids.data());
    }
    return array(std::move(ids));
}

nb::list lexicon_words(const firth::Lexicon& self, const In<std::uint32_t>& ids) {
    nb::list words;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        check(ids(i) < self.types().size(), "a type id lies outside the lexicon");
        words.append(decoded(self.types().word(ids(i)), "replace"));
    }
    return words;
}

Out<std::int64_t> lexicon_find(const firth::Lexicon& self, const std::vector<std::string>& words) {
    std::vector<std::int64_t> ids;
    ids.reserve(words.size());
    for (const auto& word : words) ids.push_back(self.types().find(word));
    return array(ids);
}

Out<std::int64_t> lexicon_counts(firth::Lexicon& self) {
    firth::Pages<std::int64_t> counts(self.types().size());
    std::copy_n(self.types().counts().data(), counts.size(), counts.data());
    return array(std::move(counts));
}

struct SpareScope {
    std::optional<firth::Spare> spare;
};

// Returns the number of malformed sequences in a text, and the byte offset of the first (-1 if
// none).
nb::tuple malformed(const In<std::uint8_t>& text) {
    std::int64_t count = 0;
    std::int64_t first = -1;
    {
        const nb::gil_scoped_release unlock;
        const unsigned char* const begin = text.data();
        const unsigned char* const end = begin + text.size();
        for (const unsigned char* p = begin; p < end;) {
            const auto c = firth::utf8::decode(p, end);
            if (!c.valid && count++ == 0) first = p - begin;
            p += c.length;
        }
    }
    return nb::make_tuple(count, first);
}

nb::object normalize(const std::string& text, bool compose, bool lower) {
    std::u32string code;
    const auto* p = reinterpret_cast<const unsigned char*>(text.data());
    const auto* end = p + text.size();
    while (p < end) {
        const auto c = firth::utf8::decode(p, end);
        code.push_back(c.code);
        p += c.length;
    }
    firth::unicode::normalize(code, compose, lower);
    std::string out;
    for (const char32_t c : code) firth::utf8::append(c, out);
    return nb::cast(out);
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "firth's kernels";
    nb::register_exception_translator([](const std::exception_ptr& e, void*) {
        try {
            std::rethrow_exception(e);
        } catch (const std::system_error& error) {
            errno = error.code().value();
            PyErr_SetFromErrno(PyExc_OSError);
        }
    });
    m.attr("UNICODE_VERSION") = std::string(firth::unicode::version());
    m.def("tokenize", &tokenize, "text"_a, "tokenizer"_a, "lower"_a, "last"_a);
    m.def("normalize", &normalize, "text"_a, "compose"_a, "lower"_a);
    m.def("malformed", &malformed, "text"_a);
    m.def(
        "empty",
        [](std::size_t size, bool narrow) -> nb::object {
            if (narrow) return nb::cast(array(firth::Pages<std::uint16_t>(size)));
            return nb::cast(array(firth::Pages<std::uint32_t>(size)));
        },
        "size"_a, "narrow"_a = false,
        "Make an uninitialised array of uint32, or uint16 if narrow, whose memory returns to the "
        "system when it is freed.");
    nb::class_<SpareScope>(m, "Spare", "Reuse the memory of freed arrays, inside a with statement.")
        .def(nb::init<>())
        .def("__enter__", [](SpareScope& self) { self.spare.emplace(); })
        .def("__exit__", [](SpareScope& self, const nb::args&) { self.spare.reset(); }, "error"_a);
    nb::class_<firth::Lexicon>(m, "Lexicon")
        .def(nb::init<>())
        .def("merge", &lexicon_merge, "text"_a, "ends"_a, "counts"_a)
        .def(
            "order",
            [](const firth::Lexicon& self, std::int64_t least) { return array(self.order(least)); },
            "least"_a)
        .def("words", &lexicon_words, "ids"_a)
        .def("find", &lexicon_find, "words"_a)
        .def("counts", &lexicon_counts)
        .def("__len__", [](const firth::Lexicon& self) { return self.types().size(); })
        .def_prop_ro("nbytes", [](const firth::Lexicon& self) { return self.types().bytes(); });
    bind_counting(m);
    bind_clusters(m);
    bind_linalg(m);
    bind_vectors(m);
    bind_tagging(m);
    bind_senses(m);
    bind_weighted(m);
}
