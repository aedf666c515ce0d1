#include "CSimdJSON.h"

namespace {

bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/// The length of the well-formed sequence at the start of `bytes` (RFC 3629); 0 when there is none.
size_t sequence_length(const uint8_t *bytes, size_t length) {
  const uint8_t first = bytes[0];
  if (first < 0x80) return 1;
  const size_t count = first >= 0xC2 && first <= 0xDF ? 2 : first >= 0xE0 && first <= 0xEF ? 3 : first >= 0xF0 && first <= 0xF4 ? 4 : 0;
  if (count == 0 || count > length) return 0;
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
