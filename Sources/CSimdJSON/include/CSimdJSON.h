#pragma once

// A C interface to simdjson's DOM parser. It throws no exceptions; failures are status codes.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of readable bytes that must follow the document if `is_padded` is true. Their content is ignored.
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

/// A parsed document. Valid until the parser parses again or is destroyed.
typedef struct {
  /// simdjson's tape (see its doc/tape.md): one or two 64-bit words per value, with a tag in the upper 8 bits of the
  /// first. Word 0 is the root.
  const uint64_t *tape;
  /// The unescaped strings: each a 32-bit length in the machine's byte order, then the bytes.
  const uint8_t *strings;
} plumb_json_document;

/// Creates a parser for documents of at most `maximum_depth` levels. NULL if there is not enough memory.
plumb_json_parser *plumb_json_parser_create(size_t maximum_depth);
void plumb_json_parser_destroy(plumb_json_parser *parser);

/// Parses one document. Integers that fit neither int64 nor uint64 become doubles.
plumb_json_status plumb_json_parse(plumb_json_parser *parser, const uint8_t *bytes, size_t length, bool is_padded,
                                   plumb_json_document *document);

/// The size of the memory that the parser keeps for its next document, in bytes.
size_t plumb_json_parser_memory(const plumb_json_parser *parser);

/// An estimate of the number of values and names in a document: its commas, colons and opening brackets outside
/// strings. A quicker count that includes those in strings is returned if it is within `limit`.
size_t plumb_json_count_values(const uint8_t *bytes, size_t length, size_t limit);

/// The offset of the first byte that is not valid UTF-8; `length` if all are.
size_t plumb_json_first_invalid_utf8(const uint8_t *bytes, size_t length);

/// The version of simdjson at compile time.
const char *plumb_json_library_version(void);

#ifdef __cplusplus
}
#endif
