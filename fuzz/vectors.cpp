// Vectors as text and in binary. What is written must be read back bit for bit. What is damaged
// must be read as a simple reader reads it, on any number of threads and in pieces of any size.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "inputs.hpp"
#include "vectors_binary.hpp"
#include "vectors_text.hpp"

namespace firth::fuzz {
namespace {

using Kind = VectorFault::Kind;

// --- the texts -----------------------------------------------------------------------------------

constexpr const char* kWords[] = {"rose",   "a",      "new york", ". .", "\u00e9t\u00e9",
                                  "\u00a0", " ",      "5",        "1e5", "route 66",
                                  "nan",    "to inf", "-",        "a\rb"};
constexpr const char* kFields[] = {"0",
                                   "1",
                                   "-1",
                                   "0.5",
                                   "+0.25",
                                   "1e-3",
                                   "1E+3",
                                   "3.4028235e38",
                                   "1e39",
                                   "1e-46",
                                   "1e-400",
                                   "1e400",
                                   "nan",
                                   "-inf",
                                   "Infinity",
                                   "nan(7)",
                                   "0x1",
                                   "1_0",
                                   "1.",
                                   ".5",
                                   ".",
                                   "",
                                   "+",
                                   "+-1",
                                   "--1",
                                   "1e",
                                   "1e+",
                                   "1.5.2",
                                   "abc",
                                   "1,5",
                                   "-0",
                                   "1e-99999999999999999999",
                                   "1e99999999999999999999",
                                   "0e99999",
                                   "0.000000000000000000000000000000000000000000000000001e60",
                                   "100000000000000000000000000000000000000000000000e-20"};
constexpr const char* kBytes[] = {" ",    "\t",   "\n", "\r",           "\r\n", "  ",
                                  "\xFF", "\xC3", "\0", "\xEF\xBB\xBF", "e",    "9"};

float any_float(Random& random) {
    switch (random.below(4)) {
        case 0:
            return std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
        case 1:
            return static_cast<float>(static_cast<std::int64_t>(random.below(2001)) - 1000);
        default:
            return static_cast<float>(static_cast<double>(random.below(2000001)) / 1e6 - 1);
    }
}

struct Table {
    std::size_t dimension = 1;
    std::vector<std::string> words;
    std::vector<float> values;
};

Table make_table(Random& random, bool finite) {
    Table table;
    table.dimension = random.between(1, random.one_in(4) ? 40 : 5);
    for (std::size_t rows = random.below(8); rows > 0; --rows) {
        std::string word = random.pick(kWords);
        if (random.one_in(3)) word += std::to_string(random.below(100));
        if (random.one_in(50)) word += std::string(random.below(300), 'x');
        table.words.push_back(std::move(word));
        for (std::size_t i = 0; i < table.dimension; ++i) {
            float value = any_float(random);
            if (finite && !std::isfinite(value)) value = 0;
            table.values.push_back(value);
        }
    }
    return table;
}

std::string as_text(const Table& table, bool named, char separator, unsigned threads) {
    std::string words;
    std::vector<std::uint64_t> ends;
    for (const std::string& word : table.words) {
        words += word;
        ends.push_back(words.size());
    }
    const Pages<char> text =
        write_vectors(table.values.data(), table.words.size(), table.dimension, words,
                      named ? ends.data() : nullptr, separator, threads);
    return {text.data(), text.size()};
}

void mutate(Random& random, std::string& text) {
    for (std::size_t times = random.between(1, 3); times > 0 && !text.empty(); --times) {
        const std::size_t at = random.below(text.size());
        const std::size_t field = std::min(text.find_first_of(" \t", at), text.size() - 1) + 1;
        switch (random.below(7)) {
            case 0:
                text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^
                                             (1U << random.below(8)));
                break;
            case 1:
                text.erase(at, random.between(1, 3));
                break;
            case 2:
                text.insert(at, text.substr(random.below(text.size()), random.between(1, 30)));
                break;
            case 3:
                text.insert(at, random.pick(kBytes));
                break;
            case 4:
                text.resize(at);
                break;
            default:  // replaces a field, or inserts one
                if (random.one_in(2))
                    text.erase(field,
                               std::min(text.find_first_of(" \t\n", field), text.size()) - field);
                text.insert(field, random.pick(kFields) + std::string(random.below(2), ' '));
        }
    }
}

// --- the oracle ----------------------------------------------------------------------------------

// Reads a number as strtof does, except what only C accepts: hexadecimals and leading white space.
bool as_number(const std::string& field, float& value) {
    if (field.empty() || field.find_first_of("xX") != std::string::npos) return false;
    if (std::isspace(static_cast<unsigned char>(field[0])) != 0) return false;
    const bool signed_ = field[0] == '+' || field[0] == '-';
    if (field.size() > 1 && signed_ && (field[1] == '+' || field[1] == '-')) return false;
    if (std::strlen(field.c_str()) != field.size()) return false;
    char* end = nullptr;
    value = std::strtof(field.c_str(), &end);
    return end == field.c_str() + field.size();
}

struct Parts {  // the fields of a line, and where each begins
    std::vector<std::string> fields;
    std::vector<std::size_t> begins;
};

Parts parts_of(const std::string& line) {
    Parts parts;
    for (std::size_t at = 0; at < line.size();) {
        if (line[at] == ' ' || line[at] == '\t') {
            ++at;
            continue;
        }
        const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
        parts.fields.push_back(line.substr(at, end - at));
        parts.begins.push_back(at);
        at = end;
    }
    return parts;
}

struct Expected {
    std::vector<std::string> words;
    std::vector<float> values;
    std::vector<std::int64_t> lines;
    VectorFault fault;
};

VectorFault expect_row(const std::string& line, std::size_t dimension, bool named, Expected& out) {
    const Parts parts = parts_of(line);
    const std::size_t size = parts.fields.size();
    float value = 0;
    std::size_t run = 0;  // numbers at the end
    while (run < size && as_number(parts.fields[size - 1 - run], value)) ++run;
    // In a named row, something must be left before the numbers.
    if (named && run > 0 && run == size && parts.begins[0] < 2) --run;
    if (run < dimension) {
        if (named && run + 1 == dimension && run + 1 == size && parts.begins[0] == 1 &&
            as_number(parts.fields[0], value))
            return {Kind::blank, 0, 0, {}, {}};
        return {Kind::few, 0, 0, {}, {}};
    }
    const std::size_t begin = parts.begins[size - dimension];
    if (!named && (size != dimension || begin != 0)) return {Kind::many, 0, 0, {}, {}};
    if (named && begin < 2) return {Kind::blank, 0, 0, {}, {}};
    const std::string word = named ? line.substr(0, begin - 1) : "";
    if (named && size > dimension + (parts.begins[0] == 0 ? 1 : 0) &&
        as_number(parts.fields[size - dimension - 1], value))
        return {Kind::many, 0, 0, {}, {}};
    bool finite = true;
    for (std::size_t i = size - dimension; i < size; ++i) {
        as_number(parts.fields[i], value);
        finite &= std::isfinite(value);
        out.values.push_back(value);
    }
    if (!finite) return {Kind::infinite, 0, 0, {}, {}};
    if (first_malformed(word) != std::string_view::npos) return {Kind::malformed, 0, 0, {}, {}};
    out.words.push_back(word);
    return {};
}

Expected expect_text(const std::string& text, std::size_t dimension, bool named) {
    Expected out;
    std::int64_t number = 1;
    for (std::size_t at = 0; at < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        at = end + 1;
        while (!line.empty() && std::strchr(" \t\r", line.back()) != nullptr && line.back() != '\0')
            line.pop_back();
        if (line.empty()) continue;
        out.fault = expect_row(line, dimension, named, out);
        out.fault.line = number;
        if (out.fault) return out;
        out.lines.push_back(number);
    }
    return out;
}

void check_rows(const VectorRows& rows, const Expected& expected) {
    check(rows.size() == expected.words.size(), "the number of rows is wrong");
    check(rows.values.size() == expected.values.size(), "the number of values is wrong");
    check(rows.values.empty() || std::memcmp(rows.values.data(), expected.values.data(),
                                             expected.values.size() * sizeof(float)) == 0,
          "the values are wrong");
    for (std::size_t row = 0; row < rows.size(); ++row) {
        check(rows.word(row) == expected.words[row], "a word is wrong");
        check(rows.lines[row] == expected.lines[row], "a line number is wrong");
    }
}

// --- the programs --------------------------------------------------------------------------------

// Passes a text in pieces of whole lines, each in memory of its own.
void add_lines(Random& random, VectorText& reader, std::string_view text, unsigned threads) {
    while (!text.empty()) {
        std::size_t end = text.size();
        if (random.one_in(2)) end = std::min(text.find('\n', random.below(end)), end - 1) + 1;
        const std::vector<char> part(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end));
        if (!reader.add({part.data(), part.size()}, threads)) return;
        text.remove_prefix(end);
    }
}

void one_text(Random& random) {
    const bool named = !random.one_in(5);
    const bool damaged = !random.one_in(4);
    const char separator = random.one_in(3) ? '\t' : ' ';
    const Table table = make_table(random, true);
    std::string text = as_text(table, named, separator, 1);
    if (random.one_in(8))
        check(text == as_text(table, named, separator, 3), "the bytes depend on the threads");
    if (damaged) mutate(random, text);
    if (random.one_in(6) && !text.empty() && text.back() == '\n') text.pop_back();
    std::size_t dimension = table.dimension;
    if (random.one_in(12)) dimension = random.one_in(2) ? random.between(1, 50) : random.next() | 1;

    const Expected expected = expect_text(text, dimension, named);
    VectorText reader(dimension, named, 1);
    add_lines(random, reader, text, random.one_in(8) ? 3 : 1);
    // A piece that is too short for its rows is refused as a whole, perhaps after another fault.
    const bool short_rows = reader.fault().kind == Kind::few && expected.fault;
    check(short_rows || reader.fault().kind == expected.fault.kind, "the fault is wrong");
    check(short_rows || !expected.fault || reader.fault().line == expected.fault.line,
          "the line of the fault is wrong");
    if (!expected.fault) check_rows(reader.rows(), expected);
    const std::vector<std::int64_t> runs = number_runs(text, 1000, named);
    check(expected.fault || runs.size() == expected.words.size(), "the number of lines is wrong");
    for (const std::int64_t run : runs)
        check(expected.fault || static_cast<std::size_t>(run) == dimension,
              "the dimension is wrong");
    if (damaged || dimension != table.dimension || !named) return;
    const bool ambiguous = std::any_of(table.words.begin(), table.words.end(), ends_in_number);
    check(ambiguous == static_cast<bool>(reader.fault()), "an ambiguous word was misjudged");
    for (std::size_t row = 0; row < table.words.size() && !ambiguous; ++row)
        check(reader.rows().word(row) == table.words[row], "a word changed");
    if (!ambiguous && !table.values.empty())
        check(std::memcmp(reader.rows().values.data(), table.values.data(),
                          table.values.size() * sizeof(float)) == 0,
              "values changed");
}

Expected expect_binary(const std::string& bytes, std::size_t dimension) {
    Expected out;
    const std::size_t width = dimension * sizeof(float);
    for (std::size_t at = 0;;) {
        while (at < bytes.size() && bytes[at] == '\n') ++at;
        if (at == bytes.size()) return out;
        const auto row = static_cast<std::int64_t>(out.words.size()) + 1;
        const std::size_t space = bytes.find(' ', at);
        out.fault.line = row;
        if (space == std::string::npos || bytes.size() - space - 1 < width) {
            out.fault.kind = Kind::cut;
            return out;
        }
        const std::string word = bytes.substr(at, space - at);
        std::vector<float> values(dimension);
        std::memcpy(values.data(), bytes.data() + space + 1, width);
        if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); }))
            out.fault.kind = Kind::infinite;
        if (word.empty()) out.fault.kind = Kind::blank;
        if (first_malformed(word) != std::string_view::npos) out.fault.kind = Kind::malformed;
        if (out.fault) return out;
        out.words.push_back(word);
        out.values.insert(out.values.end(), values.begin(), values.end());
        out.lines.push_back(row);
        at = space + 1 + width;
    }
}

void one_binary(Random& random) {
    const Table table = make_table(random, !random.one_in(8));
    const bool newlines = random.one_in(2);
    std::string bytes;
    for (std::size_t row = 0; row < table.words.size(); ++row) {
        bytes += table.words[row] + ' ';
        const auto* values =
            reinterpret_cast<const char*>(table.values.data() + row * table.dimension);
        bytes.append(values, table.dimension * sizeof(float));
        if (newlines) bytes += '\n';
    }
    if (random.one_in(2)) mutate(random, bytes);
    std::size_t dimension = table.dimension;
    if (random.one_in(12))
        dimension = random.one_in(2) ? random.between(1, 50) : random.next() >> 5;
    if (random.one_in(2000)) bytes.insert(random.below(bytes.size() + 1), kLongestWord + 9, 'w');

    VectorBinary reader(std::max<std::size_t>(dimension, 1));
    dimension = std::max<std::size_t>(dimension, 1);
    for (std::size_t at = 0, end = 0; !reader.fault();) {
        end = random.one_in(2) ? bytes.size() : std::min(bytes.size(), end + random.between(1, 40));
        const std::vector<char> part(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                     bytes.begin() + static_cast<std::ptrdiff_t>(end));
        const bool last = end == bytes.size();
        const std::size_t taken = reader.add({part.data(), part.size()}, last);
        check(taken <= part.size(), "more bytes were taken than given");
        check(reader.fault() || !last || taken == part.size(), "bytes at the end were not read");
        at += taken;
        if (last) break;
    }
    if (dimension > bytes.size()) {
        check(reader.rows().size() == 0, "a row was read from too few bytes");
        return;
    }
    if (reader.fault().kind == Kind::lengthy) {
        check(bytes.size() > kLongestWord, "a word was called too long");
        return;
    }
    const Expected expected = expect_binary(bytes, dimension);
    check(reader.fault().kind == expected.fault.kind, "the fault is wrong");
    check(!expected.fault || reader.fault().line == expected.fault.line,
          "the row of the fault is wrong");
    if (!expected.fault) check_rows(reader.rows(), expected);
}

void one(Random& random) {
    if (random.one_in(4)) {
        one_binary(random);
    } else {
        one_text(random);
    }
}

}  // namespace
}  // namespace firth::fuzz

int main(int argc, char** argv) { return firth::fuzz::run(argc, argv, firth::fuzz::one); }
