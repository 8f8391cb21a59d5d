#include "vectors_binary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

namespace firth {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied without swapping bytes");

// Returns the place of the first value that is not finite, or npos.
std::size_t first_infinite(const float* values, std::size_t size) noexcept {
    bool finite = true;
    for (std::size_t i = 0; i < size; ++i) finite &= std::isfinite(values[i]);
    if (finite) return std::string_view::npos;
    return static_cast<std::size_t>(
        std::find_if(values, values + size, [](float v) { return !std::isfinite(v); }) - values);
}

}  // namespace

VectorBinary::VectorBinary(std::size_t dimension) : dimension_(dimension) {
    if (dimension == 0 || dimension > static_cast<std::size_t>(-1) / 16)
        throw std::invalid_argument("a vector must have a dimension that fits into memory");
}

std::size_t VectorBinary::add(std::string_view bytes, bool last) {
    using Kind = VectorFault::Kind;
    if (fault_) throw std::invalid_argument("nothing can be added after a fault");
    const std::size_t width = dimension_ * sizeof(float);
    std::size_t taken = 0;
    while (taken < bytes.size()) {
        const std::size_t begin = std::min(bytes.find_first_not_of('\n', taken), bytes.size());
        if (begin == bytes.size()) return begin;
        const auto row = static_cast<std::int64_t>(rows_.size()) + 1;
        const std::string_view window = bytes.substr(begin, kLongestWord + 1);
        const std::size_t size = window.find(' ');
        const std::string_view word = window.substr(0, size);
        if (size == std::string_view::npos && window.size() > kLongestWord) {
            fault_ = {Kind::lengthy, row, 0, std::string(word.substr(0, 64)), {}};
            return taken;
        }
        if (size == std::string_view::npos || bytes.size() - begin - size - 1 < width) {
            if (last) fault_ = {Kind::cut, row, 0, std::string(word.substr(0, 64)), {}};
            return taken;
        }
        if (size == 0) fault_ = {Kind::blank, row, 0, {}, {}};
        const std::size_t bad = first_malformed(word);
        if (bad != std::string_view::npos)
            fault_ = {Kind::malformed,
                      row,
                      static_cast<std::int64_t>(bad) + 1,
                      std::string(word.substr(0, 64)),
                      {}};
        if (fault_) return taken;
        const std::size_t old = rows_.values.size();
        rows_.values.reserve(VectorRows::grown(rows_.values, dimension_));
        rows_.values.resize(old + dimension_);
        float* const values = rows_.values.data() + old;
        std::memcpy(values, bytes.data() + begin + size + 1, width);
        const std::size_t wrong = first_infinite(values, dimension_);
        if (wrong != std::string_view::npos) {
            fault_ = {Kind::infinite, row, static_cast<std::int64_t>(wrong) + 1,
                      std::string(word.substr(0, 64)), std::to_string(values[wrong])};
            return taken;
        }
        rows_.add_word(word);
        rows_.lines.push_back(row);
        taken = begin + size + 1 + width;
    }
    return taken;
}

}  // namespace firth
