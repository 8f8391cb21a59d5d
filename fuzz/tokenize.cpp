// Hostile text through the tokenizers and the lexicon, against a tokenizer that first decodes the
// whole text and then reads it character by character.
#include "tokenize.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inputs.hpp"
#include "lexicon.hpp"
#include "unicode.hpp"
#include "utf8.hpp"

namespace firth::fuzz {
namespace {

using unicode::Kind;

// --- making text ---------------------------------------------------------------------------------

struct Range {
    char32_t first;
    char32_t last;
};

// Scripts, and characters that compose, fold to several characters or are not letters.
constexpr Range kScripts[] = {
    {'a', 'z'},           {'A', 'Z'},         {'0', '9'},         {0xC0, 0x24F},       // Latin
    {0x1E00, 0x1EFF},     {0x130, 0x131},     {0xDF, 0xDF},       {0x370, 0x3FF},      // Greek
    {0x1F00, 0x1FFF},     {0x400, 0x52F},     {0x531, 0x587},     {0x591, 0x5F4},      // Hebrew
    {0x600, 0x6FF},       {0x900, 0x97F},     {0x9BE, 0x9DF},     {0xB3E, 0xB57},      // Odia
    {0xE00, 0xE5B},       {0xF40, 0xFBC},     {0x10A0, 0x10FF},   {0x1100, 0x11FF},    // jamo
    {0xAC00, 0xD7A3},     {0x13A0, 0x13FD},   {0xAB70, 0xABBF},   {0x3041, 0x30FF},    // kana
    {0x4E00, 0x9FFF},     {0xF900, 0xFAFF},   {0x2F800, 0x2FA1D}, {0xFB00, 0xFB4F},    // ligatures
    {0x2126, 0x212B},     {0xFF10, 0xFF5A},   {0x10400, 0x1044F}, {0x110A5, 0x110AB},  // Kaithi
    {0x1D15E, 0x1D164},   {0x1D400, 0x1D7FF}, {0x1E900, 0x1E94A}, {0x1F300, 0x1F64F},  // emoji
    {0x20, 0x7E},         {0x2000, 0x206F},   {0x2E80, 0x303F},   {0xE0100, 0xE01EF},  // selectors
    {0x10FFF0, 0x10FFFF},
};
constexpr Range kMarks[] = {
    {0x300, 0x36F}, {0x345, 0x345},   {0x591, 0x5BD},     {0x64B, 0x65F},
    {0x93C, 0x94D}, {0x1AB0, 0x1ABD}, {0x1D165, 0x1D172}, {0x20D0, 0x20F0},
};
constexpr char32_t kSpaces[] = {' ',    ' ',    ' ',    '\n',   '\n',   '\t',   '\r',  '\v',
                                '\f',   0x1C,   0x1D,   0x1E,   0x1F,   0x85,   0xA0,  0x1680,
                                0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
constexpr char32_t kJoiners[] = {'\'', '-', 0x2019, 0x2010, 0x2011, 0x200C, 0x200D, 0xAD};
// Truncated, overlong, surrogate and too large sequences, and bytes that never occur in UTF-8.
constexpr std::string_view kMalformed[] = {
    "\xC3",         "\xE2\x80",     "\xF0\x9F\x98", "\xC0\xAF",         "\xE0\x80\xAF",
    "\xED\xA0\x80", "\xED\xBF\xBF", "\xF5\x80",     "\xF4\x90\x80\x80", "\xFF",
    "\xFE",         "\x80",         "\xBF\xBF\xBF", "\xF8\x88\x80\x80", "\xF0\x80\x80\x80"};

char32_t from(Random& random, const Range& range) {
    return range.first + static_cast<char32_t>(random.below(range.last - range.first + 1));
}

// Appends one piece of text: mostly short, sometimes long.
void add_piece(Random& random, std::string& text) {
    std::size_t length = random.between(1, 6);
    if (random.one_in(300)) length = random.between(100, 3000);
    const Range script = random.pick(kScripts);
    const std::size_t kind = random.below(12);
    const char32_t same = from(random, script);
    for (std::size_t i = 0; i < length; ++i) {
        switch (kind) {
            default:
                utf8::append(from(random, script), text);
                break;
            case 3:  // letters and marks in turn
                utf8::append(from(random, i % 3 == 0 ? script : random.pick(kMarks)), text);
                break;
            case 4:
                utf8::append(from(random, random.pick(kMarks)), text);
                break;
            case 5:  // joiners inside, at the edge and doubled
                utf8::append(random.one_in(2) ? random.pick(kJoiners) : same, text);
                break;
            case 6:
            case 7:
                utf8::append(random.pick(kSpaces), text);
                break;
            case 8:
                text += random.pick(kMalformed);
                break;
            case 9:
                text.push_back(static_cast<char>(random.below(256)));
                break;
            case 10:
                utf8::append(random.one_in(4) ? U'\0' : same, text);
                break;
        }
    }
}

void mutate(Random& random, std::string& text) {
    for (std::size_t times = random.between(1, 4); times > 0 && !text.empty(); --times) {
        const std::size_t at = random.below(text.size());
        switch (random.below(4)) {
            case 0:
                text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^
                                             (1U << random.below(8)));
                break;
            case 1:
                text.erase(at, random.between(1, 3));
                break;
            case 2:
                text.insert(at, text.substr(random.below(text.size()), random.between(1, 9)));
                break;
            default:
                text.resize(at);
        }
    }
}

std::string make_text(Random& random, Tokenizer tokenizer) {
    std::string text;
    for (std::size_t pieces = random.below(14); pieces > 0; --pieces) {
        add_piece(random, text);
        if (tokenizer == Tokenizer::ready && random.one_in(2)) text.push_back('\xFF');
        if (tokenizer == Tokenizer::ready && random.one_in(4)) text.push_back('\xFE');
    }
    if (random.one_in(3)) mutate(random, text);
    return text;
}

// --- the oracle ----------------------------------------------------------------------------------

struct Character {
    char32_t code;
    std::size_t at;
    bool valid;
};

// The well-formed sequences: lead bytes, the range of the second byte, and the length (The Unicode
// Standard, table 3-7).
struct Form {
    int first, last, low, high, length;
};
constexpr Form kForms[] = {
    {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};

std::vector<Character> decoded(std::string_view text) {
    std::vector<Character> out;
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = [&](std::size_t i) {
            return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : -1;
        };
        std::size_t fits = 0;  // bytes so far of a well-formed sequence
        std::size_t whole = 0;
        for (const Form& form : kForms) {
            if (byte(0) < form.first || byte(0) > form.last) continue;
            whole = static_cast<std::size_t>(form.length);
            fits = 1;
            while (fits < whole && byte(fits) >= (fits == 1 ? form.low : 0x80) &&
                   byte(fits) <= (fits == 1 ? form.high : 0xBF))
                ++fits;
        }
        const bool valid = whole > 0 && fits == whole;
        char32_t code = 0xFFFD;
        if (valid) {
            constexpr std::array<unsigned, 5> lead_bits{0, 0x7F, 0x1F, 0x0F, 0x07};
            code = static_cast<unsigned>(byte(0)) & lead_bits[whole];
            for (std::size_t i = 1; i < whole; ++i)
                code = code * 64 + (static_cast<unsigned>(byte(i)) & 0x3FU);
        }
        out.push_back({code, at, valid});
        at += std::max<std::size_t>(fits, 1);
    }
    return out;
}

std::string finished(std::u32string token, bool compose, bool lower) {
    unicode::normalize(token, compose, lower);
    std::string out;
    for (const char32_t c : token) utf8::append(c, out);
    return out;
}

// Tokens in order, with "" at the end of each line that has any.
using Tokens = std::vector<std::string>;

struct Expected {
    Tokens tokens;
    std::int64_t lines = 0;
    std::int64_t invalid = 0;
    std::int64_t first_invalid = -1;
    std::int64_t nul = 0;
};

void end_line(Tokens& tokens) {
    if (tokens.empty() || !tokens.back().empty()) tokens.emplace_back();
}

bool is_letter(const Character& c) {
    const Kind kind = unicode::kind(c.code);
    return c.valid && (kind == Kind::letter || kind == Kind::digit);
}

bool is_joiner(char32_t c) {
    return std::find(std::begin(kJoiners), std::end(kJoiners), c) != std::end(kJoiners);
}

// Returns where the word that begins at `at` ends. It has letters, digits and marks, and single
// joiners before a letter or digit.
std::size_t word_end(const std::vector<Character>& text, std::size_t at) {
    for (;; ++at) {
        if (at == text.size()) return at;
        if (is_letter(text[at]) || unicode::kind(text[at].code) == Kind::mark) continue;
        if (!is_joiner(text[at].code)) return at;
        if (at + 1 == text.size() || !is_letter(text[at + 1])) return at;
    }
}

std::size_t token_end(const std::vector<Character>& text, std::size_t at) {
    while (at < text.size() && text[at].code != 0 && unicode::kind(text[at].code) != Kind::space)
        ++at;
    return at;
}

Expected expect_text(std::string_view bytes, bool words, bool lower) {
    const std::vector<Character> text = decoded(bytes);
    Expected out;
    for (const Character& c : text) {
        if (!c.valid && out.invalid++ == 0) out.first_invalid = static_cast<std::int64_t>(c.at);
        out.nul += c.code == 0;
        out.lines += c.code == '\n';
    }
    out.lines += !bytes.empty() && bytes.back() != '\n';
    for (std::size_t at = 0; at < text.size();) {
        if (text[at].code == '\n') end_line(out.tokens);
        const bool begins = words ? is_letter(text[at]) : token_end(text, at) > at;
        if (!begins) {
            ++at;
            continue;
        }
        const std::size_t end = words ? word_end(text, at) : token_end(text, at);
        std::u32string token;
        for (; at < end; ++at)
            if (!words || text[at].code != 0xAD) token.push_back(text[at].code);
        out.tokens.push_back(finished(std::move(token), words, lower));
    }
    end_line(out.tokens);
    return out;
}

Expected expect_ready(std::string_view bytes, bool lower) {
    Expected out;
    std::string token;
    bool open = false;
    for (const char c : bytes) {
        if (c != '\xFF' && c != '\xFE') {
            token.push_back(c);
            continue;
        }
        if (c == '\xFF' && !token.empty()) {
            std::u32string code;
            for (const Character& character : decoded(token)) code.push_back(character.code);
            out.tokens.push_back(lower ? finished(std::move(code), false, true) : token);
        }
        open = c == '\xFF';
        if (c == '\xFE') {
            ++out.lines;
            end_line(out.tokens);
        }
        token.clear();
    }
    out.lines += open;
    end_line(out.tokens);
    return out;
}

// --- comparing -----------------------------------------------------------------------------------

// Checks the invariants of a part, and adds its tokens to `out`.
void read_part(Part& part, bool utf8, Tokens& out) {
    std::int64_t sum = 0;
    std::set<std::string_view> distinct;
    for (std::uint32_t type = 0; type < part.types.size(); ++type) {
        const std::string_view word = part.types.word(type);
        check(!word.empty(), "a token is empty");
        check(part.types.count(type) > 0, "a type has no tokens");
        check(distinct.insert(word).second, "a type occurs twice");
        check(part.types.find(word) == type, "a type is not found");
        for (const Character& c : utf8 ? decoded(word) : std::vector<Character>())
            check(c.valid, "a token is not UTF-8");
        sum += part.types.count(type);
    }
    check(sum == part.tokens, "the counts do not add up to the tokens");
    std::vector<std::int64_t> seen(part.types.size(), 0);
    for (std::size_t i = 0; i < part.ids.size(); ++i) {
        const std::uint32_t id = part.ids[i];
        if (id == 0) {
            check(i == 0 || part.ids[i - 1] != 0, "two ends of lines follow each other");
            end_line(out);
            continue;
        }
        check(id <= part.types.size(), "an id has no type");
        ++seen[id - 1];
        out.emplace_back(part.types.word(id - 1));
    }
    for (std::uint32_t type = 0; type < part.types.size(); ++type)
        check(seen[type] == part.types.count(type), "a count differs from that of the ids");
}

// Cuts a text after some of the bytes in `after`, where parts may be cut.
std::vector<std::string_view> cut(Random& random, std::string_view text, std::string_view after) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (after.find(text[i]) == std::string_view::npos || !random.one_in(3)) continue;
        parts.push_back(text.substr(begin, i + 1 - begin));
        begin = i + 1;
    }
    parts.push_back(text.substr(begin));
    return parts;
}

// Checks that the types of parts, merged by a lexicon, are those of the whole text, in order.
void check_lexicon(std::vector<Part>& parts, const Part& whole) {
    Lexicon lexicon;
    std::size_t distinct = 0;
    for (Part& part : parts) {
        Types& types = part.types;
        std::vector<std::uint32_t> ids(types.size());
        lexicon.merge({types.text().data(), types.text().size()}, types.ends().data(),
                      types.counts().data(), types.size(), ids.data());
        for (std::uint32_t type = 0; type < types.size(); ++type) {
            check(ids[type] < lexicon.types().size(), "an id is outside the lexicon");
            check(lexicon.types().word(ids[type]) == types.word(type),
                  "an id is that of another word");
        }
    }
    for (std::uint32_t id = 0; id < lexicon.types().size(); ++id) {
        const std::int64_t type = whole.types.find(lexicon.types().word(id));
        check(type >= 0, "a word of a part is not in the whole text");
        check(whole.types.count(static_cast<std::uint32_t>(type)) == lexicon.types().count(id),
              "a frequency depends on the parts");
        ++distinct;
    }
    check(distinct == whole.types.size(), "a word of the whole text is in no part");
    const std::vector<std::uint32_t> order = lexicon.order(0);
    check(order.size() == distinct, "the order has other words");
    for (std::size_t i = 1; i < order.size(); ++i) {
        const std::int64_t before = lexicon.types().count(order[i - 1]);
        const std::int64_t here = lexicon.types().count(order[i]);
        check(before > here || (before == here && lexicon.types().word(order[i - 1]) <
                                                      lexicon.types().word(order[i])),
              "words are out of order");
    }
}

// Checks that malformed ends and negative counts are refused, and that valid parts are not.
void check_hostile_lexicon(Random& random) {
    std::string text;
    add_piece(random, text);
    std::vector<std::uint64_t> ends(random.below(5));
    std::vector<std::int64_t> counts(ends.size());
    std::vector<std::uint32_t> ids(ends.size());
    for (auto& end : ends) end = random.one_in(20) ? random.next() : random.below(text.size() + 2);
    if (!random.one_in(4)) std::sort(ends.begin(), ends.end());
    for (auto& count : counts)
        count = random.one_in(10) ? static_cast<std::int64_t>(random.next())
                                  : static_cast<std::int64_t>(random.below(9));
    Lexicon lexicon;
    bool sound = true;
    for (std::size_t i = 0; i < ends.size(); ++i)
        sound &= ends[i] <= text.size() && (i == 0 || ends[i] >= ends[i - 1]) && counts[i] >= 0;
    try {
        lexicon.merge(text, ends.data(), counts.data(), ends.size(), ids.data());
        check(sound, "a malformed part was accepted");
    } catch (const std::invalid_argument&) {
        check(!sound, "a valid part was refused");
    } catch (const std::overflow_error&) {
        return;
    }
}

void one(Random& random) {
    constexpr Tokenizer kinds[] = {Tokenizer::words, Tokenizer::words, Tokenizer::whitespace,
                                   Tokenizer::ready};
    const Tokenizer kind = random.pick(kinds);
    const bool lower = random.one_in(2);
    const bool ready = kind == Tokenizer::ready;
    const std::string made = make_text(random, kind);
    // A copy without spare capacity, so that a read past the end is detected.
    const std::vector<char> text(made.begin(), made.end());
    const std::string_view view(text.data(), text.size());

    Part whole = tokenize(view, kind, lower, true);
    const Expected expected =
        ready ? expect_ready(view, lower) : expect_text(view, kind == Tokenizer::words, lower);
    Tokens tokens;
    read_part(whole, !ready || lower, tokens);
    check(tokens == expected.tokens, "the tokens are wrong");
    check(whole.lines == expected.lines, "the number of lines is wrong");
    check(whole.nul == expected.nul, "the number of NUL bytes is wrong");
    check(whole.invalid == expected.invalid, "the number of malformed sequences is wrong");
    check(whole.first_invalid == expected.first_invalid, "the first malformed sequence is wrong");

    const bool at_lines = random.one_in(2);
    const std::vector<std::string_view> cuts =
        cut(random, view, ready ? (at_lines ? "\xFE" : "\xFF\xFE") : (at_lines ? "\n" : " \t\r\n"));
    std::vector<Part> parts;
    Types::Table table;
    Tokens again;
    std::int64_t lines = 0;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        parts.push_back(
            tokenize(cuts[i], kind, lower, i + 1 == cuts.size(), std::exchange(table, {})));
        read_part(parts.back(), !ready || lower, again);
        if (random.one_in(2)) table = parts.back().types.seal();
        lines += parts.back().lines;
    }
    check(again == expected.tokens, "the tokens depend on the parts");
    check(!at_lines || lines == expected.lines, "the number of lines depends on the parts");
    check_lexicon(parts, whole);
    if (random.one_in(4)) check_hostile_lexicon(random);
}

}  // namespace
}  // namespace firth::fuzz

int main(int argc, char** argv) { return firth::fuzz::run(argc, argv, firth::fuzz::one); }
