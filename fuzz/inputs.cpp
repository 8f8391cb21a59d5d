#include "inputs.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/common_interface_defs.h>
#define FIRTH_DEATH_CALLBACK 1
#endif

// An abort (for example of a failed assertion in the standard library) is reported like any other
// error, and so is more memory than small inputs can need.
extern "C" {
const char* __asan_default_options();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name
const char* __asan_default_options() {
    return "handle_abort=1:quarantine_size_mb=16:hard_rss_limit_mb=1024";
}
const char* __tsan_default_options();  // NOLINT(bugprone-reserved-identifier)
const char* __tsan_default_options() { return "handle_abort=1:hard_rss_limit_mb=2048"; }
const char* __ubsan_default_options();  // NOLINT(bugprone-reserved-identifier)
const char* __ubsan_default_options() { return "print_stacktrace=1:abort_on_error=1"; }
}

namespace firth::fuzz {
namespace {

constexpr unsigned kLongest = 60;  // seconds for one input; more counts as a hang

// The input that is running, for the message of a process that dies.
std::uint64_t running_seed = 0;
std::uint64_t running_input = 0;

void print_input() {
    std::fprintf(stderr, "input %llu of seed %llu\n",
                 static_cast<unsigned long long>(running_input),
                 static_cast<unsigned long long>(running_seed));
}

std::uint64_t number(const char* text) {
    std::uint64_t value = 0;
    const char* const end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error != std::errc() || stop != end) {
        std::fprintf(stderr, "%s is not a number\n", text);
        std::exit(2);
    }
    return value;
}

}  // namespace

int run(int argc, char** argv, void (*one)(Random&)) {
    if (argc < 3 || argc > 4) {
        std::fprintf(stderr, "usage: %s INPUTS SEED [FIRST]\n", argv[0]);
        return 2;
    }
#ifdef FIRTH_DEATH_CALLBACK
    __sanitizer_set_death_callback(print_input);
#endif
    std::signal(SIGALRM, [](int) {
        static constexpr char message[] = "an input took too long\n";
        if (write(STDERR_FILENO, message, sizeof message - 1) > 0) std::abort();
        std::abort();
    });
    const std::uint64_t inputs = number(argv[1]);
    running_seed = number(argv[2]);
    const std::uint64_t first = argc == 4 ? number(argv[3]) : 0;
    std::uint64_t failures = 0;
    for (std::uint64_t i = 0; i < inputs; ++i) {
        running_input = first + i;
        Random random(running_seed, running_input);
        alarm(kLongest);
        try {
            one(random);
        } catch (const std::exception& error) {
            if (++failures <= 10) {
                std::fprintf(stderr, "%s: ", error.what());
                print_input();
            }
        }
    }
    alarm(0);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%llu inputs, %llu failures; peak %ld MiB\n",
                static_cast<unsigned long long>(inputs), static_cast<unsigned long long>(failures),
                usage.ru_maxrss / 1024);
    return failures == 0 ? 0 : 1;
}

}  // namespace firth::fuzz
