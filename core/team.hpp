// Threads that stay: for kernels that have a moment's work for all of them tens of thousands of
// times over, where parallel_for would spend its time making threads.
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

    // Runs body(item) for item in [0, items) on all threads, the caller among them, and returns
    // when every item is done. The body must not throw.
    void run(std::size_t items, const std::function<void(std::size_t)>& body);

  private:
    void serve();
    void work();

    std::vector<std::thread> threads_;
    const std::function<void(std::size_t)>* body_ = nullptr;
    std::size_t items_ = 0;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::uint32_t> calls_{0};    // raised to begin a piece of work
    std::atomic<std::uint32_t> working_{0};  // threads that have not ended it
    std::atomic<bool> over_{false};
};

}  // namespace firth
