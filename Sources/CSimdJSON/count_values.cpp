#include "CSimdJSON.h"

namespace {

/// 1 for each byte that precedes a value, follows a name, or opens a container; otherwise 0. It has no branch, so that
/// the compiler vectorises the loops over it.
inline uint8_t is_structural(uint8_t byte) {
  return (byte == ',') | (byte == ':') | ((byte | 0x20) == '{');
}

size_t count_everywhere(const uint8_t *bytes, size_t length) {
  size_t count = 0;
  size_t at = 0;
  // A byte can count to 255.
  while (at < length) {
    const size_t end = length - at < 255 ? length : at + 255;
    uint8_t some = 0;
    for (; at < end; at++) some = static_cast<uint8_t>(some + is_structural(bytes[at]));
    count += some;
  }
  return count;
}

size_t count_outside_texts(const uint8_t *bytes, size_t length) {
  size_t count = 0;
  bool is_text = false;
  for (size_t at = 0; at < length; at++) {
    if (bytes[at] == '"') is_text = !is_text;
    else if (is_text) at += bytes[at] == '\\';
    else count += is_structural(bytes[at]);
  }
  return count;
}

}  // namespace

size_t plumb_json_count_values(const uint8_t *bytes, size_t length, size_t limit) {
  const size_t most = count_everywhere(bytes, length);
  return most <= limit ? most : count_outside_texts(bytes, length);
}
