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
    // Keys hold the count and the first bytes of a word, so that few comparisons read the word
    // itself.
    struct Key {
        std::int64_t count;
        std::uint64_t first;
        std::uint32_t id;
    };
    std::vector<Key> keys;
    for (std::uint32_t id = 0; id < types_.size(); ++id) {
        if (types_.count(id) < least) continue;
        const std::string_view word = types_.word(id);
        std::uint64_t first = 0;
        for (std::size_t i = 0; i < sizeof first; ++i)
            first = first << 8 | (i < word.size() ? static_cast<unsigned char>(word[i]) : 0U);
        keys.push_back({types_.count(id), first, id});
    }
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
        if (a.count != b.count) return a.count > b.count;
        if (a.first != b.first) return a.first < b.first;
        return types_.word(a.id) < types_.word(b.id);
    });
    std::vector<std::uint32_t> ids(keys.size());
    std::transform(keys.begin(), keys.end(), ids.begin(), [](const Key& key) { return key.id; });
    return ids;
}

}  // namespace firth
