#include "tokenize.hpp"

#include <array>
#include <string>

#include "unicode.hpp"
#include "utf8.hpp"

namespace firth {
namespace {

using unicode::Kind;
using Byte = unsigned char;

enum Class : std::uint8_t { separator, letter, upper, joiner, newline, nul, high };

// The class of each byte, for the words tokenizer or for the whitespace tokenizer.
constexpr std::array<Class, 256> classes(bool words) {
    std::array<Class, 256> table{};
    for (int c = 0; c < 256; ++c) {
        const bool space = (c >= 9 && c <= 13) || (c >= 28 && c <= 32);  // as str.split()
        const bool lower_or_digit = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        Class kind = words ? separator : letter;
        if (c >= 0x80) {
            kind = high;
        } else if (c == '\n') {
            kind = newline;
        } else if (c == 0) {
            kind = nul;
        } else if (space) {
            kind = separator;
        } else if (c >= 'A' && c <= 'Z') {
            kind = upper;
        } else if (lower_or_digit) {
            kind = letter;
        } else if (words && (c == '\'' || c == '-')) {
            kind = joiner;
        }
        table[static_cast<std::size_t>(c)] = kind;
    }
    return table;
}

constexpr auto kWordClasses = classes(true);
constexpr auto kSpaceClasses = classes(false);

// Joiners beyond ASCII: apostrophe, hyphens, and the invisible joiners of Persian and Indic words.
bool is_joiner(char32_t c) noexcept {
    return c == 0x2019 || c == 0x2010 || c == 0x2011 || c == 0x200C || c == 0x200D;
}

constexpr char32_t kSoftHyphen = 0xAD;  // a possible line break; not part of the word

class Scanner {
  public:
    Scanner(std::string_view text, bool lower, Types::Table&& table)
        : begin_(reinterpret_cast<const Byte*>(text.data())),
          end_(begin_ + text.size()),
          lower_(lower),
          part_{.types = Types(std::move(table))} {
        part_.ids.reserve(text.size() / 5 + 16);
    }

    Part finish(bool last) {
        if (last && line_open_) ++part_.lines;
        if (last) end_line();
        return std::move(part_);
    }

    void words();
    void whitespace();
    void ready();

  private:
    void end_line() {
        if (part_.ids.empty() || part_.ids.back() != 0) part_.ids.push_back(0);
    }
    void newline_seen() {
        ++part_.lines;
        line_open_ = false;
        end_line();
    }
    void emit(std::string_view token) {
        const std::uint32_t index = part_.types.intern(token);
        ++part_.types.count(index);
        ++part_.tokens;
        part_.ids.push_back(index + 1);
    }
    utf8::Decoded decode(const Byte* p) {
        const auto c = utf8::decode(p, end_);
        if (!c.valid) {
            if (part_.first_invalid < 0) part_.first_invalid = p - begin_;
            ++part_.invalid;
        }
        return c;
    }
    static std::string_view span(const Byte* from, const Byte* to) noexcept {
        return {reinterpret_cast<const char*>(from), static_cast<std::size_t>(to - from)};
    }

    void emit_ascii(const Byte* from, const Byte* to, bool has_upper);
    void emit_unicode(const Byte* from, const Byte* to, bool compose);
    const Byte* joined(const Byte* p) const noexcept;
    const Byte* word(const Byte* p);
    const Byte* token(const Byte* p);

    const Byte* begin_;
    const Byte* end_;
    bool lower_;
    bool line_open_ = false;  // the text after the last newline holds at least one byte
    Part part_;
    std::string scratch_;
    std::u32string code_;
};

void Scanner::emit_ascii(const Byte* from, const Byte* to, bool has_upper) {
    if (!has_upper || !lower_) return emit(span(from, to));
    scratch_.assign(span(from, to));
    for (char& c : scratch_)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    emit(scratch_);
}

void Scanner::emit_unicode(const Byte* from, const Byte* to, bool compose) {
    code_.clear();
    for (const Byte* p = from; p < to;) {
        const auto c = utf8::decode(p, to);
        if (!(compose && c.code == kSoftHyphen)) code_.push_back(c.code);
        p += c.length;
    }
    unicode::normalize(code_, compose, lower_);
    scratch_.clear();
    for (const char32_t c : code_) utf8::append(c, scratch_);
    emit(scratch_);
}

// Returns the first byte after a joiner if a letter or digit is there, so that the joiner is inside
// a word; nullptr otherwise.
const Byte* Scanner::joined(const Byte* p) const noexcept {
    if (p >= end_) return nullptr;
    const Class kind = kWordClasses[*p];
    if (kind == letter || kind == upper) return p;
    if (kind != high) return nullptr;
    const Kind k = unicode::kind(utf8::decode(p, end_).code);
    return k == Kind::letter || k == Kind::digit ? p : nullptr;
}

// Reads the word that begins at p and returns its end.
const Byte* Scanner::word(const Byte* p) {
    const Byte* const from = p;
    const Byte* to = p;
    bool has_upper = false;
    bool plain = true;
    while (p < end_) {
        const Class kind = kWordClasses[*p];
        if (kind == letter) {
            to = ++p;
        } else if (kind == upper) {
            has_upper = true;
            to = ++p;
        } else if (kind == joiner) {
            const Byte* next = joined(p + 1);
            if (next == nullptr) break;
            p = next;
        } else if (kind == high) {
            const auto c = utf8::decode(p, end_);
            if (!c.valid) break;  // the caller decodes it again and counts it
            if (unicode::kind(c.code) != Kind::other && unicode::kind(c.code) != Kind::space) {
                plain = false;
                to = p += c.length;
            } else if (c.code == kSoftHyphen || is_joiner(c.code)) {
                const Byte* next = joined(p + c.length);
                if (next == nullptr) break;
                plain = false;
                p = next;
            } else {
                break;
            }
        } else {
            break;
        }
    }
    if (plain) {
        emit_ascii(from, to, has_upper);
    } else {
        emit_unicode(from, to, true);
    }
    return to;
}

void Scanner::words() {
    const Byte* p = begin_;
    while (p < end_) {
        switch (kWordClasses[*p]) {
            case newline:
                newline_seen();
                ++p;
                continue;
            case letter:
            case upper:
                line_open_ = true;
                p = word(p);
                continue;
            case nul:
                ++part_.nul;
                break;
            case high: {
                line_open_ = true;
                const auto c = decode(p);
                const Kind kind = unicode::kind(c.code);
                if (kind == Kind::letter || kind == Kind::digit) {
                    p = word(p);
                } else {
                    p += c.length;  // a mark without a letter before it is not a word
                }
                continue;
            }
            default:
                break;
        }
        line_open_ = true;
        ++p;
    }
}

// Reads from p to the next white space and returns the end of the token.
const Byte* Scanner::token(const Byte* p) {
    const Byte* const from = p;
    bool has_upper = false;
    bool plain = true;
    bool valid = true;
    while (p < end_) {
        const Class kind = kSpaceClasses[*p];
        if (kind == letter) {
            ++p;
        } else if (kind == upper) {
            has_upper = true;
            ++p;
        } else if (kind == high) {
            const auto c = utf8::decode(p, end_);
            if (c.valid && unicode::kind(c.code) == Kind::space) break;
            if (!c.valid) decode(p);  // counts it
            plain = false;
            valid &= c.valid;
            p += c.length;
        } else {
            break;
        }
    }
    if (plain) {
        emit_ascii(from, p, has_upper);
    } else if (valid && !lower_) {
        emit(span(from, p));
    } else {
        emit_unicode(from, p, false);
    }
    return p;
}

void Scanner::whitespace() {
    const Byte* p = begin_;
    while (p < end_) {
        const Class kind = kSpaceClasses[*p];
        if (kind == newline) {
            newline_seen();
            ++p;
            continue;
        }
        line_open_ = true;
        if (kind == letter || kind == upper) {
            p = token(p);
        } else if (kind == high) {
            const auto c = utf8::decode(p, end_);
            if (c.valid && unicode::kind(c.code) == Kind::space) {
                p += c.length;
            } else {
                p = token(p);
            }
        } else {
            if (kind == nul) ++part_.nul;
            ++p;
        }
    }
}

void Scanner::ready() {
    const Byte* from = begin_;
    for (const Byte* p = begin_; p < end_; ++p) {
        if (*p == 0xFF) {
            if (p > from) {
                if (lower_) {
                    emit_unicode(from, p, false);
                } else {
                    emit(span(from, p));
                }
            }
            line_open_ = true;
            from = p + 1;
        } else if (*p == 0xFE) {
            newline_seen();
            from = p + 1;
        }
    }
}

}  // namespace

Part tokenize(std::string_view text, Tokenizer tokenizer, bool lower, bool last,
              Types::Table&& table) {
    Scanner scanner(text, lower, std::move(table));
    switch (tokenizer) {
        case Tokenizer::words:
            scanner.words();
            break;
        case Tokenizer::whitespace:
            scanner.whitespace();
            break;
        case Tokenizer::ready:
            scanner.ready();
            break;
    }
    return scanner.finish(last);
}

}  // namespace firth
