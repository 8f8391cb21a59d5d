// Whole reads and writes at a place in a file, or an error that carries errno.
#pragma once

#include <cstddef>

namespace firth {

void write_at(int file, const void* data, std::size_t size, std::size_t offset);
void read_at(int file, void* data, std::size_t size, std::size_t offset);

}  // namespace firth
