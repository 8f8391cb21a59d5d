// A growing array whose memory returns to the system as soon as it is freed. The heap of the C
// library keeps freed blocks of a few megabytes, which would break a memory budget.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FIRTH_SANITIZED 1
#elif defined(__linux__)
#define FIRTH_MAPPED_PAGES 1
#endif

namespace firth {

#ifdef FIRTH_MAPPED_PAGES
// Allocate, resize and free memory in whole pages.
void* map_pages(std::size_t bytes);
void* remap_pages(void* pages, std::size_t had, std::size_t want);
void unmap_pages(void* pages, std::size_t bytes, std::size_t used) noexcept;
#endif

// While a Spare exists, the pages of large arrays that are freed are kept and reused for the next
// large array. The system then need not provide and clear fresh pages, which for the memory of a
// chunk costs as much as sorting it.
class Spare {
  public:
    Spare() noexcept;
    ~Spare();
    Spare(const Spare&) = delete;
    Spare& operator=(const Spare&) = delete;
    Spare(Spare&&) = delete;
    Spare& operator=(Spare&&) = delete;
};

// Sanitizers check memory from the heap, but not memory that mremap moves, so sanitized builds map
// no pages. Their arrays and tables start small, so that small inputs make them grow, and pieces of
// work are small, so that small inputs are split among threads.
#ifdef FIRTH_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

template <class T>
class Pages {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Pages() = default;
    explicit Pages(std::size_t size) {
        reserve(size);
        size_ = size;
    }
    Pages(Pages&& other) noexcept { swap(other); }
    Pages& operator=(Pages&& other) noexcept {
        swap(other);
        return *this;
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() { release(); }

    void swap(Pages& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    void push_back(T value) {
        if (size_ == capacity_) reserve(capacity_ < kFirst ? kFirst : capacity_ + capacity_ / 2);
        data_[size_++] = value;
    }
    void reserve(std::size_t capacity) {
        if (capacity <= capacity_) return;
        if (capacity > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
        data_ = grow(data_, capacity_ * sizeof(T), capacity * sizeof(T));
        capacity_ = capacity;
    }
    void resize(std::size_t size) {  // new elements are uninitialised
        reserve(size);
        size_ = size;
    }
    // Frees the memory beyond `size`.
    void shrink(std::size_t size) {
        if (size >= size_) return;
        Pages smaller(size);
        for (std::size_t i = 0; i < size; ++i) smaller.data_[i] = data_[i];
        swap(smaller);
    }
    void clear() noexcept { size_ = 0; }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return capacity_; }
    bool empty() const noexcept { return size_ == 0; }
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    const T& back() const noexcept { return data_[size_ - 1]; }

  private:
    static constexpr std::size_t kFirst = kSanitized ? 2 : 65536 / sizeof(T);
#ifdef FIRTH_MAPPED_PAGES
    static T* grow(T* old, std::size_t had, std::size_t want) {
        if (had == 0) return static_cast<T*>(map_pages(want));
        return static_cast<T*>(remap_pages(old, had, want));
    }
    void release() noexcept {
        if (capacity_ > 0) unmap_pages(data_, capacity_ * sizeof(T), size_ * sizeof(T));
    }
#else
    static T* grow(T* old, std::size_t, std::size_t want) {
        void* p = std::realloc(old, want);
        if (p == nullptr) throw std::bad_alloc();
        return static_cast<T*>(p);
    }
    void release() noexcept { std::free(data_); }
#endif

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace firth
