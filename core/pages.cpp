#include "pages.hpp"

#ifdef FIRTH_MAPPED_PAGES

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <vector>

namespace firth {
namespace {

constexpr std::size_t kHuge = std::size_t{4} << 20;    // bytes, two huge pages
constexpr std::size_t kWorthy = std::size_t{1} << 20;  // bytes worth to be kept

struct Stretch {
    char* begin;
    std::size_t bytes;  // whole pages
};

struct Kept {
    std::mutex mutex;
    unsigned wanted = 0;  // how many Spares live
    std::vector<Stretch> stretches;
};

Kept& kept() {
    static Kept& pages = *new Kept;  // for as long as anything may be freed
    return pages;
}

std::size_t whole(std::size_t bytes) noexcept {
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

void* fresh(std::size_t bytes) {
    void* const p =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    return p;
}

// Only a hint: far fewer page faults, which threads would have to take in turns.
void ask_for_huge(void* pages, std::size_t bytes) noexcept {
    if (bytes >= kHuge) static_cast<void>(madvise(pages, bytes, MADV_HUGEPAGE));
}

// Moves kept pages to the beginning of `pages`; returns how many bytes they fill.
std::size_t lay_kept(char* pages, std::size_t bytes) noexcept {
    Kept& pool = kept();
    const std::lock_guard lock(pool.mutex);
    std::size_t filled = 0;
    while (filled < bytes && !pool.stretches.empty()) {
        Stretch& last = pool.stretches.back();
        const std::size_t taken = std::min(last.bytes, bytes - filled);
        char* const from = last.begin + (last.bytes - taken);
        char* const to = pages + filled;
        if (mremap(from, taken, taken, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
            // It may have left a hole where it was to go; without memory for that there is no way
            // on.
            if (mmap(to, taken, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                     0) == MAP_FAILED)
                std::terminate();
            break;
        }
        filled += taken;
        last.bytes -= taken;
        if (last.bytes == 0) pool.stretches.pop_back();
    }
    return filled;
}

}  // namespace

void* map_pages(std::size_t bytes) {
    char* const pages = static_cast<char*>(fresh(bytes));
    std::size_t filled = 0;
    if (bytes >= kWorthy) filled = lay_kept(pages, whole(bytes));
    if (filled < whole(bytes)) ask_for_huge(pages + filled, bytes - filled);
    return pages;
}

void* remap_pages(void* pages, std::size_t had, std::size_t want) {
    void* grown = mremap(pages, had, want, MREMAP_MAYMOVE);
    if (grown == MAP_FAILED) {  // it is made of kept stretches, which cannot be moved as one
        grown = fresh(want);
        std::memcpy(grown, pages, had);
        munmap(pages, had);
    }
    ask_for_huge(grown, want);
    return grown;
}

void unmap_pages(void* pages, std::size_t bytes, std::size_t used) noexcept {
    Kept& pool = kept();
    bytes = whole(bytes);
    if (used >= kWorthy) {
        const std::lock_guard lock(pool.mutex);
        if (pool.wanted > 0) {
            used = whole(used);
            try {
                pool.stretches.push_back({static_cast<char*>(pages), used});
            } catch (const std::bad_alloc&) {
                used = 0;
            }
            pages = static_cast<char*>(pages) + used;
            bytes -= used;
        }
    }
    if (bytes > 0) munmap(pages, bytes);
}

Spare::Spare() noexcept {
    const std::lock_guard lock(kept().mutex);
    ++kept().wanted;
}

Spare::~Spare() {
    Kept& pool = kept();
    const std::lock_guard lock(pool.mutex);
    if (--pool.wanted > 0) return;
    for (const Stretch& stretch : pool.stretches) munmap(stretch.begin, stretch.bytes);
    pool.stretches.clear();
}

}  // namespace firth

#else

namespace firth {

Spare::Spare() noexcept = default;
Spare::~Spare() = default;

}  // namespace firth

#endif
