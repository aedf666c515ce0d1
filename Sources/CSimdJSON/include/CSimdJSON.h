#pragma once

// A C ABI over simdjson's DOM parser. No exception crosses it; every failure is a code.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes behind the document that must be readable when `is_padded` is true. Their content does not matter.
enum { PLUMB_JSON_PADDING = 64 };

typedef enum {
  PLUMB_JSON_OK = 0,
  PLUMB_JSON_EMPTY,
  PLUMB_JSON_TOO_DEEP,
  PLUMB_JSON_TOO_LARGE,
  PLUMB_JSON_INVALID_UTF8,
  PLUMB_JSON_INVALID_STRING,
  PLUMB_JSON_UNCLOSED_STRING,
  PLUMB_JSON_INVALID_NUMBER,
  PLUMB_JSON_INVALID_LITERAL,
  PLUMB_JSON_INVALID_STRUCTURE,
  PLUMB_JSON_OUT_OF_MEMORY,
} plumb_json_status;

typedef struct plumb_json_parser plumb_json_parser;

/// What a parse left behind; valid until the parser's next parse or its destruction.
typedef struct {
  /// simdjson's tape (its doc/tape.md): a word per value, tag in the upper 8 bits; word 0 is the root.
  const uint64_t *tape;
  /// Unescaped strings: a 32-bit length in this machine's byte order, then the bytes.
  const uint8_t *strings;
} plumb_json_document;

/// NULL when there is no memory.
plumb_json_parser *plumb_json_parser_create(size_t maximum_depth);
void plumb_json_parser_destroy(plumb_json_parser *parser);

/// Parses one document. Integers that fit neither int64 nor uint64 are read as doubles.
plumb_json_status plumb_json_parse(plumb_json_parser *parser, const uint8_t *bytes, size_t length, bool is_padded,
                                   plumb_json_document *document);

/// Bytes of memory that the parser holds for its next document.
size_t plumb_json_parser_memory(const plumb_json_parser *parser);

/// About how many values and names a document holds: its commas, colons and opening brackets outside of texts. Exact only
/// beyond `limit`, below which a quicker count that takes in those inside of texts is good enough.
size_t plumb_json_count_values(const uint8_t *bytes, size_t length, size_t limit);

/// Where the first byte lies that is not UTF-8; `length` when all are.
size_t plumb_json_first_invalid_utf8(const uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif
