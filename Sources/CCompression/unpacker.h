#pragma once

#include <brotli/decode.h>
#include <stdbool.h>
#include <zlib.h>
#include <zstd.h>

#include "CCompression.h"

struct plumb_unpacker {
  plumb_coding coding;
  const uint8_t *bytes;
  size_t size;
  /// The number of input bytes read so far.
  size_t at;
  /// True if a gzip member or zstd frame begins at `at`.
  bool is_first_byte;
  union {
    z_stream zlib;
    BrotliDecoderState *brotli;
    ZSTD_DCtx *zstd;
  } state;
};

bool plumb_zlib_create(plumb_unpacker *unpacker);
plumb_unpack_status plumb_zlib_run(plumb_unpacker *unpacker, uint8_t *to, size_t room, size_t *written);

bool plumb_brotli_create(plumb_unpacker *unpacker);
plumb_unpack_status plumb_brotli_run(plumb_unpacker *unpacker, uint8_t *to, size_t room, size_t *written);

bool plumb_zstd_create(plumb_unpacker *unpacker);
plumb_unpack_status plumb_zstd_run(plumb_unpacker *unpacker, uint8_t *to, size_t room, size_t *written);
