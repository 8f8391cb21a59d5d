// The types of a text: distinct byte strings, each with an index in order of first occurrence and a
// count.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "pages.hpp"

namespace firth {

class Types {
  public:
    using Table = std::vector<std::uint64_t>;

    // Reuses the table of another object, so that the system need not clear fresh memory.
    explicit Types(Table&& table = {}) : slots_(std::move(table)) {
        slots_.assign(slots_.size() < kFirstSlots ? kFirstSlots : slots_.size(), 0);
        mask_ = slots_.size() - 1;
    }

    // Gives up the table: the words stay, but can no longer be looked up or added.
    Table seal() noexcept { return std::exchange(slots_, {}); }

    // The index of `word`, added with count 0 if it is new.
    std::uint32_t intern(std::string_view word) {
        const std::uint64_t hash = hash_of(word);
        const std::uint64_t tag = hash & kTagMask;
        for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
            const std::uint64_t slot = slots_[at];
            if (slot == 0) return add(word, tag, at);
            if ((slot & kTagMask) == tag) {
                const auto index = static_cast<std::uint32_t>(slot) - 1;
                if (same(this->word(index), word)) return index;
            }
        }
    }

    // The index of `word`, or -1.
    std::int64_t find(std::string_view word) const noexcept {
        const std::uint64_t hash = hash_of(word);
        for (std::size_t at = hash & mask_; slots_[at] != 0; at = (at + 1) & mask_) {
            if ((slots_[at] & kTagMask) != (hash & kTagMask)) continue;
            const auto index = static_cast<std::uint32_t>(slots_[at]) - 1;
            if (same(this->word(index), word)) return index;
        }
        return -1;
    }

    std::string_view word(std::uint32_t index) const noexcept {
        const std::uint64_t begin = index == 0 ? 0 : ends_[index - 1];
        return {text_.data() + begin, static_cast<std::size_t>(ends_[index] - begin)};
    }

    std::size_t size() const noexcept { return ends_.size(); }
    std::int64_t& count(std::uint32_t index) noexcept { return counts_[index]; }
    std::int64_t count(std::uint32_t index) const noexcept { return counts_[index]; }
    Pages<char>& text() noexcept { return text_; }
    Pages<std::uint64_t>& ends() noexcept { return ends_; }
    Pages<std::int64_t>& counts() noexcept { return counts_; }

    // Bytes in use, for the memory budget.
    std::size_t bytes() const noexcept {
        return slots_.size() * sizeof(std::uint64_t) + text_.size() + ends_.size() * 16;
    }

  private:
    // A slot has the upper half of the hash above index + 1, so that most mismatches are found
    // without reading the text. The table is at most half full.
    static constexpr std::size_t kFirstSlots = kSanitized ? 4 : 1 << 15;
    static constexpr std::size_t kTextSlack = kSanitized ? 0 : 65536;
    static constexpr std::uint64_t kTagMask = 0xFFFFFFFF00000000ULL;
    static constexpr std::size_t kMostTypes = 0xFFFFFFF0U;  // larger ids are reserved

    static std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
        const auto product = static_cast<unsigned __int128>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
    template <class T>
    static std::uint64_t load(const char* p) noexcept {
        T value;
        std::memcpy(&value, p, sizeof value);
        return value;
    }
    // Whether two words are equal. Most are short, and a call of memcmp takes longer than comparing
    // them.
    static bool same(std::string_view a, std::string_view b) noexcept {
        const std::size_t n = a.size();
        if (n != b.size()) return false;
        const char* const p = a.data();
        const char* const q = b.data();
        if (n > 16) return std::memcmp(p, q, n) == 0;
        if (n >= 8) return same_ends<std::uint64_t>(p, q, n);
        if (n >= 4) return same_ends<std::uint32_t>(p, q, n);
        if (n >= 2) return same_ends<std::uint16_t>(p, q, n);
        return n == 0 || *p == *q;
    }
    // Compares the first and the last sizeof(T) of `n` bytes, which may overlap.
    template <class T>
    static bool same_ends(const char* p, const char* q, std::size_t n) noexcept {
        const std::size_t last = n - sizeof(T);
        return ((load<T>(p) ^ load<T>(q)) | (load<T>(p + last) ^ load<T>(q + last))) == 0;
    }
    static std::uint64_t hash_of(std::string_view word) noexcept {
        constexpr std::uint64_t a = 0x9E3779B97F4A7C15ULL;
        constexpr std::uint64_t b = 0xD6E8FEB86659FD93ULL;
        const char* p = word.data();
        std::size_t n = word.size();
        std::uint64_t h = mix(n ^ a, b);
        for (; n > 8; p += 8, n -= 8) h = mix(h ^ load<std::uint64_t>(p), b);
        std::uint64_t tail = 0;
        if (n >= 4) {
            tail = (load<std::uint32_t>(p) << 32) | load<std::uint32_t>(p + n - 4);
        } else if (n > 0) {
            tail = (load<std::uint8_t>(p) << 16) | (load<std::uint8_t>(p + n / 2) << 8) |
                   load<std::uint8_t>(p + n - 1);
        }
        return mix(h ^ tail ^ a, a);
    }

    std::uint32_t add(std::string_view word, std::uint64_t tag, std::size_t at) {
        const std::size_t index = ends_.size();
        if (index >= kMostTypes) throw std::length_error("more than 4 billion distinct words");
        const std::size_t begin = text_.size();
        if (begin + word.size() > capacity_text_) {
            capacity_text_ = (begin + word.size()) + (begin + word.size()) / 2 + kTextSlack;
            text_.reserve(capacity_text_);
        }
        text_.resize(begin + word.size());
        if (!word.empty()) std::memcpy(text_.data() + begin, word.data(), word.size());
        ends_.push_back(text_.size());
        counts_.push_back(0);
        slots_[at] = tag | (index + 1);
        if (2 * (index + 1) >= slots_.size()) rehash();
        return static_cast<std::uint32_t>(index);
    }

    void rehash() {
        slots_.assign(slots_.size() * 2, 0);
        mask_ = slots_.size() - 1;
        for (std::size_t index = 0; index < ends_.size(); ++index) {
            const std::uint64_t hash = hash_of(word(static_cast<std::uint32_t>(index)));
            std::size_t at = hash & mask_;
            while (slots_[at] != 0) at = (at + 1) & mask_;
            slots_[at] = (hash & kTagMask) | (index + 1);
        }
    }

    Table slots_;  // its size is a power of two
    std::size_t mask_ = 0;
    Pages<char> text_;
    std::size_t capacity_text_ = 0;
    Pages<std::uint64_t> ends_;
    Pages<std::int64_t> counts_;
};

}  // namespace firth
