// What a tokenizer must know of Unicode: kinds of characters, case folding and NFC.
//
// The tables are part of the build, so the same text gives the same tokens whatever Unicode the
// running Python knows. Every function is pure, safe to call from any thread, and takes any
// char32_t: surrogates and values past 0x10FFFF are of kind other and pass through unchanged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace firth::unicode {

// The Unicode version of the tables, such as "14.0.0".
std::string_view version() noexcept;

// letter is category L*, mark M*, digit Nd; space is what Python's str.isspace() accepts.
enum class Kind : std::uint8_t { other, letter, mark, digit, space };

Kind kind(char32_t c) noexcept;

// Appends the full case folding of c, one to three characters, as Python's str.casefold() does.
void fold(char32_t c, std::u32string& out);

// Brings text to Normalization Form C. Text already in the form is only read.
void nfc(std::u32string& text);

// Composes (NFC), folds case, or both. Folding can take a text out of NFC, so asking for both
// composes before and after.
void normalize(std::u32string& text, bool compose, bool lower);

}  // namespace firth::unicode
