#include "CSimdJSON.h"

namespace {

/// The length of a sequence that starts with `first`; 0 if no sequence can start with this byte.
size_t announced_length(uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/// The length of the well-formed sequence at the start of `bytes` (RFC 3629); 0 when there is none.
size_t sequence_length(const uint8_t *bytes, size_t length) {
  const uint8_t first = bytes[0];
  const size_t count = announced_length(first);
  if (count <= 1) return count;
  if (count > length) return 0;
  for (size_t index = 1; index < count; index++) {
    if (!is_continuation(bytes[index])) return 0;
  }
  const uint8_t second = bytes[1];
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || beyond ? 0 : count;
}

}  // namespace

size_t plumb_json_first_invalid_utf8(const uint8_t *bytes, size_t length) {
  size_t at = 0;
  while (at < length) {
    const size_t count = sequence_length(bytes + at, length - at);
    if (count == 0) return at;
    at += count;
  }
  return length;
}
