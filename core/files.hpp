// Reads and writes at an offset of a file. They transfer all the bytes, or throw an error with
// errno.
#pragma once

#include <cstddef>

namespace firth {

void write_at(int file, const void* data, std::size_t size, std::size_t offset);
// Asks the system to begin writing a range to disk, so that a later fsync has less to wait for.
void start_writing(int file, std::size_t size, std::size_t offset) noexcept;
void read_at(int file, void* data, std::size_t size, std::size_t offset);

}  // namespace firth
