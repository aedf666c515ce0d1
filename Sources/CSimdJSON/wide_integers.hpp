#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumb {

/// Copies a document and writes integers beyond 64 bits as doubles ("…e0"). Returns whether there were any.
bool write_wide_integers_as_doubles(const uint8_t *bytes, size_t length, std::vector<uint8_t> &copy);

}  // namespace plumb
