// A pool of threads, for kernels with tens of thousands of short parallel steps, where parallel_for
// would spend most of its time creating threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace firth {

class Team {
  public:
    explicit Team(unsigned threads);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    Team(Team&&) = delete;
    Team& operator=(Team&&) = delete;

    // Runs body(item) for each item in [0, items) on all threads, including the caller's, and
    // returns when all items are done. The body must not throw.
    void run(std::size_t items, const std::function<void(std::size_t)>& body);

  private:
    void serve();
    void work();

    std::vector<std::thread> threads_;
    const std::function<void(std::size_t)>* body_ = nullptr;
    std::size_t items_ = 0;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::uint32_t> calls_{0};    // incremented to start a run
    std::atomic<std::uint32_t> working_{0};  // threads that have not finished it
    std::atomic<bool> over_{false};
};

}  // namespace firth
