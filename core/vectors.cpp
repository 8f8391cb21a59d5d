#include "vectors.hpp"

#include <cstring>

#include "utf8.hpp"

namespace firth {

void VectorRows::add_word(std::string_view word) {
    const std::size_t begin = text.size();
    reserve_word(word.size());
    text.resize(begin + word.size());
    if (!word.empty()) std::memcpy(text.data() + begin, word.data(), word.size());
    ends.push_back(text.size());
}

std::size_t first_malformed(std::string_view word) noexcept {
    const auto* const begin = reinterpret_cast<const unsigned char*>(word.data());
    const unsigned char* const end = begin + word.size();
    for (const unsigned char* p = begin; p < end;) {
        const utf8::Decoded c = utf8::decode(p, end);
        if (!c.valid) return static_cast<std::size_t>(p - begin);
        p += c.length;
    }
    return std::string_view::npos;
}

}  // namespace firth
