#include "lexicon.hpp"

#include <algorithm>
#include <stdexcept>

namespace firth {

void Lexicon::merge(std::string_view text, const std::uint64_t* ends, const std::int64_t* counts,
                    std::size_t size, std::uint32_t* ids) {
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < size; ++i) {
        if (ends[i] < begin || ends[i] > text.size())
            throw std::invalid_argument("type ends must rise within the text");
        if (counts[i] < 0) throw std::invalid_argument("type counts must not be negative");
        ids[i] = types_.intern(text.substr(begin, ends[i] - begin));
        std::int64_t& count = types_.count(ids[i]);
        if (__builtin_add_overflow(count, counts[i], &count))
            throw std::overflow_error("a word's frequency passes 2^63");
        begin = ends[i];
    }
}

std::vector<std::uint32_t> Lexicon::order(std::int64_t least) const {
    std::vector<std::uint32_t> ids;
    for (std::uint32_t id = 0; id < types_.size(); ++id)
        if (types_.count(id) >= least) ids.push_back(id);
    std::sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (types_.count(a) != types_.count(b)) return types_.count(a) > types_.count(b);
        return types_.word(a) < types_.word(b);
    });
    return ids;
}

}  // namespace firth
