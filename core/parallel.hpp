// One exception-safe parallel loop, used by every threaded kernel.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>

namespace firth {

// Called from time to time, in the calling thread, with (work done, total work). It may throw,
// which stops the loop: this is how a kernel reacts to Ctrl-C and reports progress.
using Poll = std::function<void(std::size_t, std::size_t)>;

// Thrown by a worker that waits when another worker has failed; never leaves parallel_for.
struct Cancelled : std::exception {};

// The state of a loop that its workers share.
class Loop {
  public:
    bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }
    void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }

  private:
    std::atomic<bool> cancelled_{false};
};

// Runs body(item, worker, loop) for each item in [0, items), in increasing order, on `threads`
// workers, of which the caller is worker 0. The first exception is rethrown in the caller after
// every worker has stopped. `poll` runs in the caller between its items, at most every 50 ms.
void parallel_for(std::size_t items, unsigned threads,
                  const std::function<void(std::size_t, unsigned, Loop&)>& body,
                  const Poll& poll = {});

}  // namespace firth
