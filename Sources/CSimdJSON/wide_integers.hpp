#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumb {

/// A copy of a document in which integers beyond 64 bits are written as doubles ("…e0"), and whether there were any.
bool write_wide_integers_as_doubles(const uint8_t *bytes, size_t length, std::vector<uint8_t> &copy);

}  // namespace plumb
