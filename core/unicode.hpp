// The parts of Unicode that a tokenizer needs: kinds of characters, case folding and NFC.
//
// The tables are part of the build, so the same text gives the same tokens whatever version of
// Unicode the running Python has. Every function is pure, safe to call from any thread, and takes
// any char32_t: surrogates and values past 0x10FFFF are of kind other and stay unchanged.
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

// Converts text to Normalization Form C. Text that is already in NFC is only read.
void nfc(std::u32string& text);

// Composes (NFC), folds case, or both. Folding can leave a text that is not in NFC, so with both it
// is composed before and after.
void normalize(std::u32string& text, bool compose, bool lower);

}  // namespace firth::unicode
