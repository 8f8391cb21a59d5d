#include "vectors_text.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>

namespace firth {
namespace {

constexpr std::size_t kBlock = kSanitized ? 24 : 256 << 10;  // bytes per block that is read
constexpr std::size_t kWritten = kSanitized ? 6 : 64 << 10;  // values per block that is written
constexpr std::size_t kShown = 64;                           // bytes of a field in a message
constexpr std::size_t kLongestNumber = 16;  // "-1.17549435e-38", or ".0" at the end

bool is_space(char c) noexcept { return c == ' ' || c == '\t'; }

struct Line {
    const char* begin;
    const char* end;  // of the text without trailing white space
    const char* next;
};

Line line_at(const char* begin, const char* end) noexcept {
    const void* found = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin));
    const char* stop = found == nullptr ? end : static_cast<const char*>(found);
    const char* next = found == nullptr ? end : stop + 1;
    while (stop > begin && (is_space(stop[-1]) || stop[-1] == '\r')) --stop;
    return {begin, stop, next};
}

const char* field_before(const char* begin, const char* end) noexcept {
    while (end > begin && !is_space(end[-1])) --end;
    return end;
}

const char* space_before(const char* begin, const char* end) noexcept {
    while (end > begin && is_space(end[-1])) --end;
    return end;
}

// Whether a number beyond the range of float32 is too large, and not too small. This depends on the
// place of its first nonzero digit, before or after the point, and on its exponent.
bool is_large(const char* p, const char* end) noexcept {
    std::int64_t place = 0;
    bool fraction = false;
    bool begun = false;
    for (; p < end && *p != 'e' && *p != 'E'; ++p) {
        if (*p == '.') {
            fraction = true;
        } else if (*p != '-') {
            begun |= *p != '0';
            if (begun && !fraction) ++place;
            if (!begun && fraction) --place;
        }
    }
    if (p == end) return place > 0;
    ++p;
    if (p < end && *p == '+') ++p;
    const bool negative = p < end && *p == '-';
    std::int64_t exponent = 0;
    if (std::from_chars(p, end, exponent).ec != std::errc() || std::abs(exponent) > (1LL << 60))
        return !negative;
    return place + exponent > 0;
}

enum class Number : std::uint8_t { none, finite, infinite };

// Reads a decimal number as C and Python write it, including "nan" and "inf", rounded to the
// nearest.
Number read_number(const char* begin, const char* end, float& value) noexcept {
    if (end - begin > 1 && *begin == '+' && begin[1] != '-') ++begin;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (stop != end || error == std::errc::invalid_argument) return Number::none;
    if (error == std::errc::result_out_of_range) {
        if (is_large(begin, end)) return Number::infinite;
        value = *begin == '-' ? -0.0F : 0.0F;
        return Number::finite;
    }
    return std::isfinite(value) ? Number::finite : Number::infinite;
}

bool is_number(const char* begin, const char* end) noexcept {
    float value = 0;
    return read_number(begin, end, value) != Number::none;
}

// Returns how many fields at the end are numbers, leaving a word if rows are named.
std::int64_t run_of(const Line& line, bool named) noexcept {
    std::int64_t count = 0;
    const char* end = line.end;
    while (end > line.begin) {
        const char* const field = field_before(line.begin, end);
        if (named && field - line.begin < 2) return count;
        if (!is_number(field, end)) return named ? count : 0;
        ++count;
        end = space_before(line.begin, field);
    }
    return count;
}

std::string shown(const char* begin, const char* end) {
    return {begin, begin + std::min<std::ptrdiff_t>(end - begin, kShown)};
}

// Reads the usual row: a word without spaces, and finite numbers without a leading plus. Returns
// false for any other.
bool read_usual(const Line& line, std::size_t dimension, bool named, float* out,
                const char*& word_end) noexcept {
    const char* p = line.begin;
    while (named && p < line.end && !is_space(*p)) ++p;
    if (named && p == line.begin) return false;
    word_end = p;
    for (std::size_t i = 0; i < dimension; ++i) {
        if (named || i > 0) {
            if (p == line.end || !is_space(*p)) return false;
            ++p;
            while (i > 0 && p < line.end && is_space(*p)) ++p;
        }
        const auto [stop, error] = std::from_chars(p, line.end, out[i]);
        if (error != std::errc() || !std::isfinite(out[i])) return false;
        p = stop;
    }
    return p == line.end;
}

// Reads any row, from the right. The caller adds the line of a fault.
VectorFault read_from_right(const Line& line, std::size_t dimension, bool named, float* out,
                            const char*& word_end) {
    using Kind = VectorFault::Kind;
    VectorFault infinite;
    const char* p = line.end;
    for (std::size_t i = dimension; i-- > 0;) {
        const char* const end = i + 1 < dimension ? space_before(line.begin, p) : p;
        p = field_before(line.begin, end);
        const auto found = static_cast<std::int64_t>(dimension - 1 - i);
        if (p == end || (named && p == line.begin))
            return {Kind::few, 0, found, shown(line.begin, end), {}};
        const Number kind = read_number(p, end, out[i]);
        if (kind == Number::none)
            return {Kind::few, 0, found, shown(line.begin, end), shown(p, end)};
        if (kind == Number::infinite) infinite = {Kind::infinite, 0, 0, {}, shown(p, end)};
    }
    word_end = named ? p - 1 : line.begin;
    if (!named && p != line.begin) return {Kind::many, 0, run_of(line, false), {}, {}};
    if (named && word_end == line.begin) return {Kind::blank, 0, 0, {}, {}};
    if (named && ends_in_number({line.begin, static_cast<std::size_t>(word_end - line.begin)}))
        return {Kind::many, 0, run_of(line, true), shown(line.begin, word_end), {}};
    if (infinite) infinite.word = shown(line.begin, word_end);
    return infinite;
}

// Cuts a text at line ends into blocks of about `size`.
std::vector<std::string_view> cut(std::string_view text, std::size_t size) {
    std::vector<std::string_view> blocks;
    while (!text.empty()) {
        std::size_t end = text.size();
        if (end > size) {
            const std::size_t found = text.find('\n', size);
            if (found != std::string_view::npos) end = found + 1;
        }
        blocks.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return blocks;
}

char* write_number(char* to, float value) {
    if (!std::isfinite(value)) throw std::invalid_argument("a value is not finite");
    char* const end = std::to_chars(to, to + kLongestNumber, value).ptr;
    if (value != std::trunc(value) || std::any_of(to, end, [](char c) { return c == 'e'; }))
        return end;
    end[0] = '.';
    end[1] = '0';
    return end + 2;
}

}  // namespace

struct VectorText::Block {
    std::string_view text;
    std::size_t rows = 0;
    std::int64_t lines = 0;
    std::string words;
    VectorFault fault;
};

VectorText::VectorText(std::size_t dimension, bool named, std::int64_t first_line)
    : dimension_(dimension), named_(named), next_line_(first_line) {
    if (dimension == 0) throw std::invalid_argument("a vector must have a dimension");
}

void VectorText::count(Block& block) const noexcept {
    const char* const end = block.text.data() + block.text.size();
    for (const char* p = block.text.data(); p < end; ++block.lines) {
        const Line line = line_at(p, end);
        block.rows += line.begin < line.end;
        p = line.next;
    }
}

// Makes room for the rows of these blocks. Each number takes at least two bytes and a word one, so
// a text with fewer bytes cannot hold its rows: then no memory is allocated, and the first row that
// is too short is the fault.
bool VectorText::make_room(std::vector<Block>& blocks, std::size_t bytes) {
    std::size_t rows = 0;
    for (const Block& block : blocks) rows += block.rows;
    if (rows == 0) return true;
    if (dimension_ <= (bytes + rows) / 2 / rows) {
        const std::size_t all = rows_.size() + rows;
        rows_.values.reserve(VectorRows::grown(rows_.values, rows * dimension_));
        rows_.values.resize(all * dimension_);
        rows_.ends.resize(all);
        rows_.lines.resize(all);
        return true;
    }
    std::int64_t number = next_line_;
    for (const Block& block : blocks) {
        const char* const end = block.text.data() + block.text.size();
        for (const char* p = block.text.data(); p < end; ++number) {
            const Line line = line_at(p, end);
            p = line.next;
            const auto size = static_cast<std::size_t>(line.end - line.begin);
            if (size == 0 || (size + 1) / 2 >= dimension_) continue;
            fault_ = {VectorFault::Kind::few,
                      number,
                      run_of(line, named_),
                      shown(line.begin, line.end),
                      {}};
            return false;
        }
    }
    throw std::logic_error("no row is too short, but the text is");
}

void VectorText::read(Block& block, std::size_t row, std::int64_t line_number) {
    const char* const end = block.text.data() + block.text.size();
    for (const char* p = block.text.data(); p < end; ++line_number) {
        const Line line = line_at(p, end);
        p = line.next;
        if (line.begin == line.end) continue;
        const char* word_end = line.begin;
        float* const out = rows_.values.data() + row * dimension_;
        if (!read_usual(line, dimension_, named_, out, word_end))
            block.fault = read_from_right(line, dimension_, named_, out, word_end);
        const std::string_view word(line.begin, static_cast<std::size_t>(word_end - line.begin));
        if (!block.fault) {
            const std::size_t bad = first_malformed(word);
            if (bad != std::string_view::npos)
                block.fault = {VectorFault::Kind::malformed,
                               0,
                               static_cast<std::int64_t>(bad) + 1,
                               shown(line.begin, word_end),
                               {}};
        }
        if (block.fault) {
            block.fault.line = line_number;
            return;
        }
        block.words += word;
        rows_.ends[row] = word.size();  // its length; becomes its end below
        rows_.lines[row] = line_number;
        ++row;
    }
}

bool VectorText::add(std::string_view lines, unsigned threads, const Poll& poll) {
    if (fault_) throw std::invalid_argument("nothing can be added after a fault");
    std::vector<Block> blocks;
    for (const std::string_view text : cut(lines, kBlock)) blocks.emplace_back().text = text;
    parallel_for(blocks.size(), threads, [&](std::size_t i, unsigned, Loop&) { count(blocks[i]); });
    const std::size_t old = rows_.size();
    if (!make_room(blocks, lines.size())) return false;
    std::vector<std::size_t> row{old};
    std::vector<std::int64_t> line{next_line_};
    for (const Block& block : blocks) {
        row.push_back(row.back() + block.rows);
        line.push_back(line.back() + block.lines);
    }
    // The first block with a fault; later blocks need not be read.
    std::atomic<std::size_t> faulty{blocks.size()};
    parallel_for(
        blocks.size(), threads,
        [&](std::size_t i, unsigned, Loop&) {
            if (i > faulty.load()) return;
            read(blocks[i], row[i], line[i]);
            if (!blocks[i].fault) return;
            std::size_t before = faulty.load();
            while (i < before && !faulty.compare_exchange_weak(before, i)) {
            }
        },
        poll);
    if (faulty.load() < blocks.size()) {
        fault_ = std::move(blocks[faulty.load()].fault);
        return false;
    }
    next_line_ = line.back();
    for (std::size_t i = old; i < rows_.size(); ++i)
        rows_.ends[i] += i == 0 ? 0 : rows_.ends[i - 1];
    for (const Block& block : blocks) {
        if (block.words.empty()) continue;
        const std::size_t begin = rows_.text.size();
        rows_.text.reserve(VectorRows::grown(rows_.text, block.words.size()));
        rows_.text.resize(begin + block.words.size());
        std::memcpy(rows_.text.data() + begin, block.words.data(), block.words.size());
    }
    return true;
}

std::vector<std::int64_t> number_runs(std::string_view text, std::size_t most, bool named) {
    std::vector<std::int64_t> runs;
    const char* const end = text.data() + text.size();
    for (const char* p = text.data(); p < end && runs.size() < most;) {
        const Line line = line_at(p, end);
        p = line.next;
        if (line.begin < line.end) runs.push_back(run_of(line, named));
    }
    return runs;
}

bool ends_in_number(std::string_view word) noexcept {
    const char* const begin = word.data();
    const char* const end = space_before(begin, begin + word.size());
    const char* const field = field_before(begin, end);
    return field > begin && field < end && is_number(field, end);
}

Pages<char> write_vectors(const float* values, std::size_t rows, std::size_t dimension,
                          std::string_view words, const std::uint64_t* ends, char separator,
                          unsigned threads, const Poll& poll) {
    const std::size_t step =
        std::max<std::size_t>(1, kWritten / std::max<std::size_t>(1, dimension));
    std::vector<std::string> blocks((rows + step - 1) / step);
    const auto write_block = [&](std::size_t block, unsigned, Loop&) {
        std::string& out = blocks[block];
        for (std::size_t r = block * step; r < std::min(rows, (block + 1) * step); ++r) {
            const std::uint64_t begin = r == 0 || ends == nullptr ? 0 : ends[r - 1];
            const std::uint64_t size = ends == nullptr ? 0 : ends[r] - begin;
            const std::size_t old = out.size();
            out.resize(old + size + dimension * (kLongestNumber + 3) + 1);
            char* to = std::copy_n(words.data() + begin, size, out.data() + old);
            for (std::size_t i = 0; i < dimension; ++i) {
                if (ends != nullptr || i > 0) *to++ = separator;
                to = write_number(to, values[r * dimension + i]);
            }
            *to++ = '\n';
            out.resize(static_cast<std::size_t>(to - out.data()));
        }
    };
    parallel_for(blocks.size(), threads, write_block, poll);
    std::size_t size = 0;
    for (const std::string& block : blocks) size += block.size();
    Pages<char> text(size);
    char* to = text.data();
    for (const std::string& block : blocks) to = std::copy(block.begin(), block.end(), to);
    return text;
}

}  // namespace firth
