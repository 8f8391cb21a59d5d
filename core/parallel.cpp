#include "parallel.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace firth {
namespace {

constexpr auto kPollEvery = std::chrono::milliseconds(50);

struct State {
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    Loop loop;
    std::mutex mutex;
    std::condition_variable stopped;
    unsigned running = 0;
    std::exception_ptr error;

    void fail(std::exception_ptr e) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::move(e);
        loop.cancel();
    }
};

}  // namespace

void parallel_for(std::size_t items, unsigned threads,
                  const std::function<void(std::size_t, unsigned, Loop&)>& body, const Poll& poll) {
    threads = static_cast<unsigned>(std::clamp<std::size_t>(items, 1, std::max(threads, 1U)));
    State state;
    auto last_poll = std::chrono::steady_clock::now();
    const auto maybe_poll = [&] {
        if (!poll) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_poll < kPollEvery) return;
        last_poll = now;
        poll(state.done.load(), items);
    };
    const auto work = [&](unsigned worker) {
        try {
            while (!state.loop.cancelled()) {
                const std::size_t item = state.next.fetch_add(1);
                if (item >= items) break;
                body(item, worker, state.loop);
                state.done.fetch_add(1);
                if (worker == 0) maybe_poll();
            }
        } catch (const Cancelled&) {
            // Another worker failed first and recorded the error.
        } catch (...) {
            state.fail(std::current_exception());
        }
    };
    std::vector<std::thread> pool;
    pool.reserve(threads);
    try {
        for (unsigned t = 1; t < threads; ++t) {
            {
                const std::lock_guard lock(state.mutex);
                ++state.running;
            }
            try {
                pool.emplace_back([&, t] {
                    work(t);
                    const std::lock_guard lock(state.mutex);
                    --state.running;
                    state.stopped.notify_all();
                });
            } catch (...) {  // no more threads: continue with those that started
                const std::lock_guard lock(state.mutex);
                --state.running;
                break;
            }
        }
        work(0);
        // Worker 0 has run out of items; keep polling so that Ctrl-C works while others finish.
        std::unique_lock lock(state.mutex);
        while (state.running > 0) {
            state.stopped.wait_for(lock, kPollEvery);
            lock.unlock();
            if (!state.loop.cancelled()) {
                try {
                    maybe_poll();
                } catch (...) {
                    state.fail(std::current_exception());
                }
            }
            lock.lock();
        }
    } catch (...) {
        state.fail(std::current_exception());
    }
    for (auto& thread : pool) thread.join();
    if (state.error) std::rethrow_exception(state.error);
}

}  // namespace firth
