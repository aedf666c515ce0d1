#include "wide_integers.hpp"

#include <cstring>

namespace plumb {
namespace {

bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

bool is_wide(const uint8_t *digits, size_t count, bool negative) {
  const char *limit = negative ? "9223372036854775808" : "18446744073709551615";
  const size_t limit_count = strlen(limit);
  if (count != limit_count) return count > limit_count;
  return memcmp(digits, limit, count) > 0;
}

/// The end of the string that opens at `start`: the index after its closing quote.
size_t end_of_string(const uint8_t *bytes, size_t length, size_t start) {
  size_t at = start + 1;
  while (at < length && bytes[at] != '"') at += bytes[at] == '\\' ? 2 : 1;
  return at < length ? at + 1 : length;
}

size_t end_of_digits(const uint8_t *bytes, size_t length, size_t start) {
  while (start < length && is_digit(bytes[start])) start++;
  return start;
}

bool is_exponent(uint8_t byte) { return byte == 'e' || byte == 'E'; }

/// Whether the digits in [start, end) are a double's fraction or exponent, or are followed by one.
bool belongs_to_double(const uint8_t *bytes, size_t length, size_t start, size_t end) {
  if (end < length && (bytes[end] == '.' || is_exponent(bytes[end]))) return true;
  if (start == 0) return false;
  const uint8_t before = bytes[start - 1];
  if (before == '.' || before == '+' || is_exponent(before)) return true;
  return before == '-' && start > 1 && is_exponent(bytes[start - 2]);
}

}  // namespace

bool write_wide_integers_as_doubles(const uint8_t *bytes, size_t length, std::vector<uint8_t> &copy) {
  bool found = false;
  copy.clear();
  copy.reserve(length + length / 8);
  size_t at = 0;
  while (at < length) {
    size_t end = at + 1;
    bool wide = false;
    if (bytes[at] == '"') {
      end = end_of_string(bytes, length, at);
    } else if (is_digit(bytes[at])) {
      end = end_of_digits(bytes, length, at);
      const bool negative = at > 0 && bytes[at - 1] == '-';
      wide = is_wide(bytes + at, end - at, negative) && !belongs_to_double(bytes, length, at, end);
    }
    copy.insert(copy.end(), bytes + at, bytes + end);
    if (wide) {
      copy.push_back('e');
      copy.push_back('0');
      found = true;
    }
    at = end;
  }
  return found;
}

}  // namespace plumb
