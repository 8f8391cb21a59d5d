#include "pages.hpp"

#ifdef FIRTH_MAPPED_PAGES

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace firth {
namespace {

constexpr std::size_t kHuge = std::size_t{4} << 20;    // bytes, two huge pages
constexpr std::size_t kWorthy = std::size_t{1} << 20;  // bytes; less is not worth keeping

struct Stretch {
    char* begin;
    std::size_t bytes;  // whole pages
};

struct Kept {
    std::mutex mutex;
    unsigned wanted = 0;  // number of Spare objects
    std::vector<Stretch> stretches;
    // Arrays that were made of kept stretches. Each is several mappings, which mremap cannot move
    // at once.
    std::unordered_set<void*> composed;

    void unmap_all() noexcept {
        for (const Stretch& stretch : stretches) munmap(stretch.begin, stretch.bytes);
        stretches.clear();
    }
};

Kept& kept() {
    static Kept& pages = *new Kept;  // never destroyed: arrays may be freed at exit
    return pages;
}

std::size_t whole(std::size_t bytes) noexcept {
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

void* map(void* where, std::size_t bytes, int flags) noexcept {
    return mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

void* fresh(std::size_t bytes) {
    void* p = map(nullptr, bytes, 0);
    if (p == MAP_FAILED) {  // try again without the kept pages
        const std::lock_guard lock(kept().mutex);
        kept().unmap_all();
        p = map(nullptr, bytes, 0);
    }
    if (p == MAP_FAILED) throw std::bad_alloc();
    return p;
}

// Only a hint. Huge pages cause far fewer page faults, which threads have to wait for in turn.
void ask_for_huge(void* pages, std::size_t bytes) noexcept {
    if (bytes >= kHuge) static_cast<void>(madvise(pages, bytes, MADV_HUGEPAGE));
}

// Moves kept pages to the beginning of `pages` and returns how many bytes they fill.
std::size_t reuse_kept(char* pages, std::size_t bytes) {
    Kept& pool = kept();
    const std::lock_guard lock(pool.mutex);
    if (pool.stretches.empty()) return 0;
    pool.composed.insert(pages);
    std::size_t filled = 0;
    while (filled < bytes && !pool.stretches.empty()) {
        Stretch& last = pool.stretches.back();
        const std::size_t taken = std::min(last.bytes, bytes - filled);
        last.bytes -= taken;
        char* const from = last.begin + last.bytes;
        char* const to = pages + filled;
        if (last.bytes == 0) pool.stretches.pop_back();
        if (mremap(from, taken, taken, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
            // The process has too many mappings. The pages at `to` may be gone; if they cannot be
            // mapped again, the array is unusable.
            munmap(from, taken);
            if (map(to, taken, MAP_FIXED) == MAP_FAILED) std::terminate();
            break;
        }
        filled += taken;
    }
    return filled;
}

bool is_composed(void* pages) {
    const std::lock_guard lock(kept().mutex);
    return kept().composed.contains(pages);
}

void unmap_composed(void* pages, std::size_t bytes) {
    const std::lock_guard lock(kept().mutex);
    kept().composed.erase(pages);  // before the address is reused
    munmap(pages, bytes);
}

}  // namespace

void* map_pages(std::size_t bytes) {
    char* const pages = static_cast<char*>(fresh(bytes));
    std::size_t filled = 0;
    try {
        if (bytes >= kWorthy) filled = reuse_kept(pages, whole(bytes));
    } catch (const std::bad_alloc&) {
        filled = 0;  // use fresh pages only
    }
    if (filled < bytes) ask_for_huge(pages + filled, bytes - filled);
    return pages;
}

void* remap_pages(void* pages, std::size_t had, std::size_t want) {
    void* grown = nullptr;
    if (had >= kWorthy && is_composed(pages)) {
        grown = fresh(want);
        std::memcpy(grown, pages, had);
        unmap_composed(pages, had);
    } else {
        grown = mremap(pages, had, want, MREMAP_MAYMOVE);
        if (grown == MAP_FAILED) throw std::bad_alloc();
    }
    ask_for_huge(grown, want);
    return grown;
}

void unmap_pages(void* pages, std::size_t bytes, std::size_t used) noexcept {
    char* begin = static_cast<char*>(pages);
    bytes = whole(bytes);
    if (bytes >= kWorthy && is_composed(pages)) return unmap_composed(pages, bytes);
    if (used >= kWorthy) {
        Kept& pool = kept();
        const std::lock_guard lock(pool.mutex);
        if (pool.wanted > 0) {
            used = whole(used);
            try {
                pool.stretches.push_back({begin, used});
            } catch (const std::bad_alloc&) {
                used = 0;  // unmap it like the rest
            }
            begin += used;
            bytes -= used;
        }
    }
    if (bytes > 0) munmap(begin, bytes);
}

Spare::Spare() noexcept {
    const std::lock_guard lock(kept().mutex);
    ++kept().wanted;
}

Spare::~Spare() {
    Kept& pool = kept();
    const std::lock_guard lock(pool.mutex);
    if (--pool.wanted == 0) pool.unmap_all();
}

}  // namespace firth

#else

namespace firth {

Spare::Spare() noexcept = default;
Spare::~Spare() = default;

}  // namespace firth

#endif
