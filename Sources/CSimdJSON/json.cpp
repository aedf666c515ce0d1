#include "CSimdJSON.h"

#include <cstring>
#include <new>
#include <simdjson.h>
#include <vector>

#include "wide_integers.hpp"

struct plumb_json_parser {
  simdjson::dom::parser parser;
  std::vector<uint8_t> padded;
  std::vector<uint8_t> rewritten;
  size_t maximum_depth;
};

namespace {

plumb_json_status status(simdjson::error_code code) {
  switch (code) {
    case simdjson::SUCCESS: return PLUMB_JSON_OK;
    case simdjson::EMPTY: return PLUMB_JSON_EMPTY;
    case simdjson::DEPTH_ERROR: return PLUMB_JSON_TOO_DEEP;
    case simdjson::CAPACITY: return PLUMB_JSON_TOO_LARGE;
    case simdjson::UTF8_ERROR: return PLUMB_JSON_INVALID_UTF8;
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS: return PLUMB_JSON_INVALID_STRING;
    case simdjson::UNCLOSED_STRING: return PLUMB_JSON_UNCLOSED_STRING;
    case simdjson::NUMBER_ERROR:
    case simdjson::NUMBER_OUT_OF_RANGE: return PLUMB_JSON_INVALID_NUMBER;
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR: return PLUMB_JSON_INVALID_LITERAL;
    case simdjson::MEMALLOC: return PLUMB_JSON_OUT_OF_MEMORY;
    default: return PLUMB_JSON_INVALID_STRUCTURE;
  }
}

/// The document followed by readable bytes, copied into `buffer`.
const uint8_t *pad(const uint8_t *bytes, size_t length, std::vector<uint8_t> &buffer) {
  if (buffer.size() < length + PLUMB_JSON_PADDING) buffer.resize(length + PLUMB_JSON_PADDING);
  std::memcpy(buffer.data(), bytes, length);
  std::memset(buffer.data() + length, 0, PLUMB_JSON_PADDING);
  return buffer.data();
}

simdjson::error_code parse(plumb_json_parser &self, const uint8_t *bytes, size_t length, bool is_padded) {
  if (self.parser.capacity() == 0) {
    auto code = self.parser.allocate(length, self.maximum_depth);
    if (code) return code;
  }
  if (!is_padded) bytes = pad(bytes, length, self.padded);
  auto code = self.parser.parse(bytes, length, false).error();
  if (code != simdjson::NUMBER_ERROR) return code;
  if (!plumb::write_wide_integers_as_doubles(bytes, length, self.rewritten)) return code;
  const size_t rewritten_length = self.rewritten.size();
  self.rewritten.resize(rewritten_length + PLUMB_JSON_PADDING);
  return self.parser.parse(self.rewritten.data(), rewritten_length, false).error();
}

}  // namespace

static_assert(PLUMB_JSON_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads more padding than callers provide");

plumb_json_parser *plumb_json_parser_create(size_t maximum_depth) {
  try {
    auto *parser = new plumb_json_parser();
    parser->maximum_depth = maximum_depth;
    return parser;
  } catch (...) {
    return nullptr;
  }
}

void plumb_json_parser_destroy(plumb_json_parser *parser) { delete parser; }

plumb_json_status plumb_json_parse(plumb_json_parser *parser, const uint8_t *bytes, size_t length, bool is_padded,
                                   plumb_json_document *document) {
  if (length == 0) return PLUMB_JSON_EMPTY;
  try {
    const auto code = parse(*parser, bytes, length, is_padded);
    if (code == simdjson::SUCCESS) {
      document->tape = parser->parser.doc.tape.get();
      document->strings = parser->parser.doc.string_buf.get();
    }
    return status(code);
  } catch (...) {
    return PLUMB_JSON_OUT_OF_MEMORY;
  }
}

size_t plumb_json_parser_memory(const plumb_json_parser *parser) {
  // One tape word and one index word per byte, and the strings with room for their lengths (dom::document::allocate).
  const size_t capacity = parser->parser.capacity();
  return capacity * (sizeof(uint64_t) + sizeof(uint32_t)) + capacity * 5 / 3 + parser->padded.capacity() +
         parser->rewritten.capacity();
}

#define PLUMB_TEXT(value) #value
#define PLUMB_TEXT_OF(macro) PLUMB_TEXT(macro)

const char *plumb_json_library_version(void) { return PLUMB_TEXT_OF(SIMDJSON_VERSION); }
