#pragma once

// A C interface to zlib, brotli and zstd, whose macros and state structures Swift cannot import. The input is passed at
// once; output is produced in pieces of any size.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  PLUMB_CODING_GZIP,
  /// The zlib format (RFC 1950) or, if the first bytes are not its header, raw deflate (RFC 1951).
  PLUMB_CODING_DEFLATE,
  PLUMB_CODING_BROTLI,
  PLUMB_CODING_ZSTD,
  /// Raw deflate only, as in zip archives.
  PLUMB_CODING_RAW_DEFLATE,
} plumb_coding;

typedef enum {
  /// The input is complete and was read to its end.
  PLUMB_UNPACK_DONE,
  /// The output buffer is full: call again with another one.
  PLUMB_UNPACK_FULL,
  PLUMB_UNPACK_DAMAGED,
  PLUMB_UNPACK_TRUNCATED,
  /// A zstd frame requires a window above PLUMB_ZSTD_WINDOW_LOG.
  PLUMB_UNPACK_WINDOW,
  PLUMB_UNPACK_NO_MEMORY,
} plumb_unpack_status;

/// The base-2 logarithm of the largest accepted zstd window, 8 MiB: the limit of RFC 9659 for the content coding.
enum { PLUMB_ZSTD_WINDOW_LOG = 23 };

typedef struct plumb_unpacker plumb_unpacker;

/// Creates a decompressor of `bytes`, which must outlive it. NULL if there is not enough memory.
plumb_unpacker *plumb_unpacker_create(plumb_coding coding, const uint8_t *bytes, size_t size);
void plumb_unpacker_destroy(plumb_unpacker *unpacker);

/// Decompresses up to `room` bytes (at least one) to `to`. `*written`: the number of bytes written.
plumb_unpack_status plumb_unpacker_run(plumb_unpacker *unpacker, uint8_t *to, size_t room, size_t *written);

/// The decompressed size in bytes according to the input's header. It may be wrong; 0 if the header has none.
uint64_t plumb_announced_size(plumb_coding coding, const uint8_t *bytes, size_t size);

/// The largest output of `plumb_gzip_compress` for `size` bytes of input, in bytes.
size_t plumb_gzip_bound(size_t size);

/// Compresses bytes to one gzip member. Returns its size in bytes; 0 if there is not enough memory.
size_t plumb_gzip_compress(uint8_t *to, size_t room, const uint8_t *bytes, size_t size, int level);

/// The largest output of `plumb_zstd_compress` for `size` bytes of input, in bytes.
size_t plumb_zstd_bound(size_t size);

/// The memory with which zstd compresses and decompresses whole frames, one at a time. Creating it takes longer than
/// compressing a small text, so it is worth keeping.
typedef struct plumb_zstd plumb_zstd;

/// NULL if there is not enough memory.
plumb_zstd *plumb_zstd_state_create(void);
void plumb_zstd_state_destroy(plumb_zstd *state);

/// The size of a state in bytes, which grows with the texts that were compressed.
size_t plumb_zstd_state_memory(const plumb_zstd *state);

/// Compresses bytes to one zstd frame. Returns its size in bytes; 0 if there is not enough memory.
size_t plumb_zstd_compress(plumb_zstd *state, uint8_t *to, size_t room, const uint8_t *bytes, size_t size, int level);

/// Decompresses a zstd frame whose content has exactly `room` bytes. False for any other input.
bool plumb_zstd_decompress(plumb_zstd *state, uint8_t *to, size_t room, const uint8_t *bytes, size_t size);

/// A zstd dictionary that compresses and decompresses frames, for one thread at a time.
typedef struct plumb_zstd_dictionary plumb_zstd_dictionary;

/// Copies the dictionary. NULL if there is not enough memory, or if `bytes` is not a dictionary in zstd's format.
plumb_zstd_dictionary *plumb_zstd_dictionary_create(const uint8_t *bytes, size_t size, int level);
void plumb_zstd_dictionary_destroy(plumb_zstd_dictionary *dictionary);

/// Compresses bytes to one frame with a checksum. `room`: at least `plumb_zstd_bound(size)`. Returns the frame's size
/// in bytes; 0 if there is not enough memory.
size_t plumb_zstd_dictionary_compress(
    plumb_zstd_dictionary *dictionary, uint8_t *to, size_t room, const uint8_t *bytes, size_t size);

/// Decompresses one frame. Returns the size of its content in bytes; SIZE_MAX if it is damaged or larger than `room`.
size_t plumb_zstd_dictionary_decompress(
    plumb_zstd_dictionary *dictionary, uint8_t *to, size_t room, const uint8_t *bytes, size_t size);

/// Updates the CRC-32 of zip and gzip (ISO 3309) with further bytes. The initial value is 0.
uint32_t plumb_crc32(uint32_t crc, const uint8_t *bytes, size_t size);
