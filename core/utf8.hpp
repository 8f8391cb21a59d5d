// Decoding and encoding UTF-8. A malformed sequence decodes to U+FFFD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace firth::utf8 {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
    char32_t code;
    std::uint32_t length;  // bytes consumed, at least 1
    bool valid;
};

// Decodes one character at p (p < end). A malformed sequence consumes its maximal subpart, which
// is the rule of Python's errors="replace" and of the WHATWG decoder.
inline Decoded decode(const unsigned char* p, const unsigned char* end) noexcept {
    const unsigned char lead = p[0];
    if (lead < 0x80) return {lead, 1, true};
    std::uint32_t need = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    char32_t code = 0;
    if (lead >= 0xC2 && lead <= 0xDF) {
        need = 1;
        code = lead & 0x1FU;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        need = 2;
        code = lead & 0x0FU;
        if (lead == 0xE0) low = 0xA0;   // no overlong forms
        if (lead == 0xED) high = 0x9F;  // no surrogates
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        need = 3;
        code = lead & 0x07U;
        if (lead == 0xF0) low = 0x90;
        if (lead == 0xF4) high = 0x8F;  // nothing beyond U+10FFFF
    } else {
        return {kReplacement, 1, false};
    }
    for (std::uint32_t i = 1; i <= need; ++i) {
        if (p + i >= end || p[i] < low || p[i] > high) return {kReplacement, i, false};
        code = (code << 6) | (p[i] & 0x3FU);
        low = 0x80;
        high = 0xBF;
    }
    return {code, need + 1, true};
}

inline void append(char32_t c, std::string& out) {
    if (c < 0x80) {
        out.push_back(static_cast<char>(c));
    } else if (c < 0x800) {
        out.push_back(static_cast<char>(0xC0 | (c >> 6)));
        out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
    } else if (c < 0x10000) {
        out.push_back(static_cast<char>(0xE0 | (c >> 12)));
        out.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
    } else {
        out.push_back(static_cast<char>(0xF0 | (c >> 18)));
        out.push_back(static_cast<char>(0x80 | ((c >> 12) & 0x3F)));
        out.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
    }
}

}  // namespace firth::utf8
