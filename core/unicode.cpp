#include "unicode.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>

namespace firth::unicode {
namespace {

// A two-stage table with a value per code point: the number of its page, then its cell in the page.
// The last page is all zero and stands for all higher code points too, so that clamping replaces a
// test.
template <unsigned shift, typename Number, std::size_t page_count, typename Cell,
          std::size_t cell_count>
struct Table {
    Number pages[page_count];
    Cell cells[cell_count];

    constexpr Cell operator[](char32_t c) const noexcept {
        const std::size_t page = pages[std::min<std::size_t>(c >> shift, page_count - 1)];
        return cells[(page << shift) | (c & ((1U << shift) - 1))];
    }
};

// `step` is added to a character (modulo 2^32) to get the first character of its folding; `tail`
// has the others, padded with 0.
struct Folding {
    std::int32_t step;
    char32_t tail[2];
};

struct Composition {
    char32_t first;
    char32_t second;
    char32_t composed;
};

#include "unicode_tables.inc"

// The layout of a cell of `traits`. A character that does not join has combining class 0 and never
// composes with the one before it: text can be cut before it and each part normalized alone.
constexpr unsigned kind_mask = 7;
constexpr unsigned joins_flag = 8;     // combining class not 0, or NFC_Quick_Check not Yes
constexpr unsigned changes_flag = 16;  // NFC_Quick_Check not Yes

// Hangul syllables compose by arithmetic (The Unicode Standard, section 3.12).
constexpr char32_t syllable_base = 0xAC00;
constexpr char32_t leading_base = 0x1100;
constexpr char32_t vowel_base = 0x1161;
constexpr char32_t trailing_base = 0x11A7;  // one before the first: 0 means no trailing consonant
constexpr char32_t leading_count = 19;
constexpr char32_t vowel_count = 21;
constexpr char32_t trailing_count = 28;
constexpr char32_t syllable_count = leading_count * vowel_count * trailing_count;

bool joins(char32_t c) noexcept { return (traits[c] & joins_flag) != 0; }

const Folding& folding(char32_t c) noexcept { return foldings[fold_rules[c]]; }

// Returns where NFC must start work: at the last cut before the first character that may change or
// is out of order, or at the end of the text if there is none.
std::size_t first_work(const std::u32string& text) noexcept {
    std::size_t cut = 0;
    std::uint8_t previous = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const unsigned trait = traits[text[i]];
        if ((trait & joins_flag) == 0) {
            cut = i;
            previous = 0;
            continue;
        }
        const std::uint8_t current = combining_classes[text[i]];
        if ((trait & changes_flag) != 0 || current < previous) return cut;
        previous = current;
    }
    return text.size();
}

// Appends the full canonical decomposition of c.
void decompose(char32_t c, std::u32string& out) {
    const char32_t syllable = c - syllable_base;  // wraps to a large value below the base
    if (syllable < syllable_count) {
        const char32_t trailing = syllable % trailing_count;
        const char32_t pair = syllable / trailing_count;
        out.push_back(leading_base + pair / vowel_count);
        out.push_back(vowel_base + pair % vowel_count);
        if (trailing != 0) out.push_back(trailing_base + trailing);
        return;
    }
    const std::size_t offset = decomposition_offsets[c];
    if (offset == 0) {
        out.push_back(c);
    } else {
        out.append(decomposition_pool + offset + 1, decomposition_pool[offset]);
    }
}

// Sorts each run of combining marks from `begin` on into canonical order. A hostile text may be one
// long run, so it needs a real sort.
void reorder(std::u32string& text, std::size_t begin) {
    const auto is_mark = [](char32_t c) { return combining_classes[c] != 0; };
    const auto before = [](char32_t a, char32_t b) {
        return combining_classes[a] < combining_classes[b];
    };
    auto run = text.begin() + static_cast<std::ptrdiff_t>(begin);
    while (run != text.end()) {
        run = std::find_if(run, text.end(), is_mark);
        const auto end = std::find_if_not(run, text.end(), is_mark);
        // Most runs are sorted already, and stable_sort allocates memory even for those.
        if (!std::is_sorted(run, end, before)) std::stable_sort(run, end, before);
        run = end;
    }
}

// The primary composite of two characters, or 0.
char32_t composed(char32_t first, char32_t second) noexcept {
    const char32_t leading = first - leading_base;
    const char32_t vowel = second - vowel_base;
    if (leading < leading_count && vowel < vowel_count) {
        return syllable_base + (leading * vowel_count + vowel) * trailing_count;
    }
    const char32_t syllable = first - syllable_base;
    const char32_t trailing = second - trailing_base;
    if (syllable < syllable_count && syllable % trailing_count == 0 && trailing != 0 &&
        trailing < trailing_count) {
        return first + trailing;
    }
    const auto before = [](const Composition& pair, std::tuple<char32_t, char32_t> key) {
        return std::tuple(pair.first, pair.second) < key;
    };
    const auto* found = std::lower_bound(std::begin(compositions), std::end(compositions),
                                         std::tuple(first, second), before);
    const bool same =
        found != std::end(compositions) && found->first == first && found->second == second;
    return same ? found->composed : 0;
}

// Composes decomposed, ordered text from `begin` on. A character joins the last starter unless one
// that is kept between them has an equal or higher combining class.
void recompose(std::u32string& text, std::size_t begin) {
    constexpr int adjacent = -1;  // nothing kept since the starter
    constexpr int no_starter = 256;
    std::size_t starter = begin;
    std::size_t kept = begin;
    int blocking = no_starter;
    for (std::size_t i = begin; i < text.size(); ++i) {
        const char32_t c = text[i];
        const int current = combining_classes[c];
        if (blocking < current && joins(c)) {
            if (const char32_t whole = composed(text[starter], c); whole != 0) {
                text[starter] = whole;
                continue;
            }
        }
        if (current == 0) {
            starter = kept;
            blocking = adjacent;
        } else if (blocking != no_starter) {
            blocking = current;
        }
        text[kept++] = c;
    }
    text.resize(kept);
}

void fold_all(std::u32string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const Folding& rule = folding(text[i]);
        if (rule.tail[0] != 0) {  // the text grows: append the rest instead of folding in place
            const std::u32string rest = text.substr(i);
            text.resize(i);
            for (const char32_t c : rest) fold(c, text);
            return;
        }
        text[i] += static_cast<char32_t>(rule.step);
    }
}

}  // namespace

std::string_view version() noexcept { return table_version; }

Kind kind(char32_t c) noexcept { return static_cast<Kind>(traits[c] & kind_mask); }

void fold(char32_t c, std::u32string& out) {
    const Folding& rule = folding(c);
    out.push_back(c + static_cast<char32_t>(rule.step));
    for (const char32_t more : rule.tail) {
        if (more == 0) return;
        out.push_back(more);
    }
}

void nfc(std::u32string& text) {
    const std::size_t work = first_work(text);
    if (work == text.size()) return;
    const std::u32string rest = text.substr(work);
    text.resize(work);
    for (std::size_t i = 0; i < rest.size();) {
        const std::size_t begin = text.size();
        std::size_t end = i + 1;
        while (end < rest.size() && joins(rest[end])) ++end;
        if (end == i + 1 && !joins(rest[i])) {
            text.push_back(rest[i]);
        } else {
            for (std::size_t j = i; j < end; ++j) decompose(rest[j], text);
            reorder(text, begin);
            recompose(text, begin);
        }
        i = end;
    }
}

void normalize(std::u32string& text, bool compose, bool lower) {
    if (compose) nfc(text);
    if (lower) fold_all(text);
    if (compose && lower) nfc(text);
}

}  // namespace firth::unicode
