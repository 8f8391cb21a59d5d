// Whole reads and writes at a place in a file, or an error that carries errno.
#pragma once

#include <cstddef>

namespace firth {

void write_at(int file, const void* data, std::size_t size, std::size_t offset);
// Asks the system to begin writing a stretch to disk, so that a later fsync has less to wait for.
void start_writing(int file, std::size_t size, std::size_t offset) noexcept;
void read_at(int file, void* data, std::size_t size, std::size_t offset);

}  // namespace firth
