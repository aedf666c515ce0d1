#pragma once

// A C ABI over zlib, brotli and zstd, whose macros and state structures Swift cannot import. Whole input, output in
// pieces of the caller's choice.

#include <stddef.h>
#include <stdint.h>

typedef enum {
  PLUMB_CODING_GZIP,
  /// zlib's wrapper (RFC 1950) or, where the first bytes are not its header, bare deflate (RFC 1951).
  PLUMB_CODING_DEFLATE,
  PLUMB_CODING_BROTLI,
  PLUMB_CODING_ZSTD,
  /// Bare deflate and nothing else: what stands in a zip archive.
  PLUMB_CODING_RAW_DEFLATE,
} plumb_coding;

typedef enum {
  /// All input was read, and it was whole.
  PLUMB_UNPACK_DONE,
  /// There is no room for more output: call again with more.
  PLUMB_UNPACK_FULL,
  PLUMB_UNPACK_DAMAGED,
  PLUMB_UNPACK_TRUNCATED,
  /// A zstd frame wants a window above PLUMB_ZSTD_WINDOW_LOG.
  PLUMB_UNPACK_WINDOW,
  PLUMB_UNPACK_NO_MEMORY,
} plumb_unpack_status;

/// zstd's greatest window as a power of two: 8 MiB, what RFC 9659 allows to the content coding.
enum { PLUMB_ZSTD_WINDOW_LOG = 23 };

typedef struct plumb_unpacker plumb_unpacker;

/// `bytes` must outlive the unpacker. NULL when there is no memory.
plumb_unpacker *plumb_unpacker_create(plumb_coding coding, const uint8_t *bytes, size_t size);
void plumb_unpacker_destroy(plumb_unpacker *unpacker);

/// Writes output to `to`, which has room for `room` bytes (at least one), and says how many it wrote.
plumb_unpack_status plumb_unpacker_run(plumb_unpacker *unpacker, uint8_t *to, size_t room, size_t *written);

/// The size of the output as the input announces it, for a first guess only; 0 when it says nothing.
uint64_t plumb_announced_size(plumb_coding coding, const uint8_t *bytes, size_t size);

/// The greatest size that `plumb_gzip_compress` can need.
size_t plumb_gzip_bound(size_t size);

/// One gzip member. Gives its size; 0 when there is no memory.
size_t plumb_gzip_compress(uint8_t *to, size_t room, const uint8_t *bytes, size_t size, int level);

/// The greatest size that `plumb_zstd_compress` can need.
size_t plumb_zstd_bound(size_t size);

/// One zstd frame. Gives its size; 0 when there is no memory.
size_t plumb_zstd_compress(uint8_t *to, size_t room, const uint8_t *bytes, size_t size, int level);

/// Goes on with the CRC-32 of zip and gzip (ISO 3309), which begins with 0.
uint32_t plumb_crc32(uint32_t crc, const uint8_t *bytes, size_t size);
