// Bytes to tokens: one pass over a part of a text, which leaves its types and its stream of ids.
#pragma once

#include <cstdint>
#include <string_view>

#include "pages.hpp"
#include "types.hpp"

namespace firth {

enum class Tokenizer : std::uint8_t {
    words,       // letters, marks and digits, with inner apostrophes and hyphens; NFC
    whitespace,  // what stands between white space, as Python's str.split()
    ready,       // tokens made elsewhere: 0xFF ends a token, 0xFE ends a line
};

// A part of a text after tokenising. In `ids`, 0 ends a line and k stands for type k - 1; empty
// lines leave nothing, so that two zeros never follow each other.
struct Part {
    Pages<std::uint32_t> ids;
    Types types;
    std::int64_t lines = 0;
    std::int64_t tokens = 0;
    std::int64_t invalid = 0;         // malformed UTF-8 sequences, each read as U+FFFD
    std::int64_t first_invalid = -1;  // byte offset of the first of them
    std::int64_t nul = 0;             // NUL bytes, each read as a space
};

// Tokenises `text`. `last` says that a text ends here, which ends its last line. With `lower` the
// tokens are case folded. `table` is one that another part no longer needs, or none.
Part tokenize(std::string_view text, Tokenizer tokenizer, bool lower, bool last,
              Types::Table&& table = {});

}  // namespace firth
