#include "files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace firth {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 30;  // Linux transfers at most 2 GiB per call

}  // namespace

void write_at(int file, const void* data, std::size_t size, std::size_t offset) {
    const char* from = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t n = pwrite(file, from, std::min(size, kMost), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            throw std::system_error(n < 0 ? errno : ENOSPC, std::generic_category(), "write");
        from += n;
        offset += static_cast<std::size_t>(n);
        size -= static_cast<std::size_t>(n);
    }
}

void start_writing(int file, std::size_t size, std::size_t offset) noexcept {
#if defined(__linux__)
    // Only a hint: if it fails, fsync does all the work.
    static_cast<void>(sync_file_range(file, static_cast<off_t>(offset), static_cast<off_t>(size),
                                      SYNC_FILE_RANGE_WRITE));
#else
    static_cast<void>(file + size + offset);
#endif
}

void read_at(int file, void* data, std::size_t size, std::size_t offset) {
    char* to = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t n = pread(file, to, std::min(size, kMost), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw std::system_error(errno, std::generic_category(), "read");
        if (n == 0) throw std::system_error(EIO, std::generic_category(), "file ends too early");
        to += n;
        offset += static_cast<std::size_t>(n);
        size -= static_cast<std::size_t>(n);
    }
}

}  // namespace firth
