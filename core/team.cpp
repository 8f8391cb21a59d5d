#include "team.hpp"

#include <exception>

namespace firth {
namespace {

// How often to check before sleeping: about as long as waking up takes.
constexpr int kChecks = 4000;

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

// Waits until the value is no longer `old`; returns the new one.
std::uint32_t changed(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
    for (int check = 0; check < kChecks; ++check) {
        const std::uint32_t now = value.load(std::memory_order_acquire);
        if (now != old) return now;
        pause();
    }
    value.wait(old, std::memory_order_acquire);
    return value.load(std::memory_order_acquire);
}

}  // namespace

Team::Team(unsigned threads) {
    threads_.reserve(threads);
    for (unsigned t = 1; t < threads; ++t) {
        try {
            threads_.emplace_back([this] { serve(); });
        } catch (const std::exception&) {  // no more threads: continue with those that started
            break;
        }
    }
}

Team::~Team() {
    over_.store(true, std::memory_order_relaxed);
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_all();
    for (auto& thread : threads_) thread.join();
}

void Team::run(std::size_t items, const std::function<void(std::size_t)>& body) {
    body_ = &body;
    items_ = items;
    next_.store(0, std::memory_order_relaxed);
    working_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_all();
    work();
    for (std::uint32_t left = working_.load(std::memory_order_acquire); left > 0;)
        left = changed(working_, left);
}

void Team::serve() {
    std::uint32_t seen = 0;
    for (;;) {
        seen = changed(calls_, seen);
        if (over_.load(std::memory_order_relaxed)) return;
        work();
        if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) working_.notify_one();
    }
}

void Team::work() {
    for (;;) {
        const std::size_t item = next_.fetch_add(1, std::memory_order_relaxed);
        if (item >= items_) return;
        (*body_)(item);
    }
}

}  // namespace firth
