// Tokenizes a part of a text in one pass, into its types and a sequence of their ids.
#pragma once

#include <cstdint>
#include <string_view>

#include "pages.hpp"
#include "types.hpp"

namespace firth {

enum class Tokenizer : std::uint8_t {
    words,       // letters, marks and digits, with inner apostrophes and hyphens; NFC
    whitespace,  // separated by white space, as by Python's str.split()
    ready,       // already tokenized: 0xFF ends a token, 0xFE ends a line
};

// The tokens of a part of a text. In `ids`, 0 ends a line and k is type k - 1. Empty lines are left
// out, so two zeros never follow each other.
struct Part {
    Pages<std::uint32_t> ids;
    Types types;
    std::int64_t lines = 0;
    std::int64_t tokens = 0;
    std::int64_t invalid = 0;         // malformed UTF-8 sequences, each read as U+FFFD
    std::int64_t first_invalid = -1;  // byte offset of the first of them
    std::int64_t nul = 0;             // NUL bytes, each read as a space
};

// Tokenizes `text`. `last` says that the text ends here, which ends its last line. With `lower`,
// tokens are case-folded. `table` is one that another part no longer needs, or empty.
Part tokenize(std::string_view text, Tokenizer tokenizer, bool lower, bool last,
              Types::Table&& table = {});

}  // namespace firth
