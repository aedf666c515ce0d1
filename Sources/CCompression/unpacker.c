#include "unpacker.h"

#include <stdlib.h>

plumb_unpacker *plumb_unpacker_create(plumb_coding coding, const uint8_t *bytes, size_t size) {
  plumb_unpacker *unpacker = calloc(1, sizeof(plumb_unpacker));
  if (!unpacker) return NULL;
  unpacker->coding = coding;
  unpacker->bytes = bytes;
  unpacker->size = size;
  unpacker->is_first_byte = true;
  bool is_made = false;
  switch (coding) {
    case PLUMB_CODING_GZIP:
    case PLUMB_CODING_DEFLATE:
    case PLUMB_CODING_RAW_DEFLATE: is_made = plumb_zlib_create(unpacker); break;
    case PLUMB_CODING_BROTLI: is_made = plumb_brotli_create(unpacker); break;
    case PLUMB_CODING_ZSTD: is_made = plumb_zstd_create(unpacker); break;
  }
  if (is_made) return unpacker;
  free(unpacker);
  return NULL;
}

void plumb_unpacker_destroy(plumb_unpacker *unpacker) {
  switch (unpacker->coding) {
    case PLUMB_CODING_GZIP:
    case PLUMB_CODING_DEFLATE:
    case PLUMB_CODING_RAW_DEFLATE: inflateEnd(&unpacker->state.zlib); break;
    case PLUMB_CODING_BROTLI: BrotliDecoderDestroyInstance(unpacker->state.brotli); break;
    case PLUMB_CODING_ZSTD: ZSTD_freeDCtx(unpacker->state.zstd); break;
  }
  free(unpacker);
}

plumb_unpack_status plumb_unpacker_run(plumb_unpacker *unpacker, uint8_t *to, size_t room, size_t *written) {
  *written = 0;
  if (unpacker->size == 0) return PLUMB_UNPACK_TRUNCATED;
  switch (unpacker->coding) {
    case PLUMB_CODING_GZIP:
    case PLUMB_CODING_DEFLATE:
    case PLUMB_CODING_RAW_DEFLATE: return plumb_zlib_run(unpacker, to, room, written);
    case PLUMB_CODING_BROTLI: return plumb_brotli_run(unpacker, to, room, written);
    case PLUMB_CODING_ZSTD: return plumb_zstd_run(unpacker, to, room, written);
  }
  return PLUMB_UNPACK_DAMAGED;
}

uint64_t plumb_announced_size(plumb_coding coding, const uint8_t *bytes, size_t size) {
  if (coding == PLUMB_CODING_ZSTD) {
    unsigned long long announced = ZSTD_getFrameContentSize(bytes, size);
    return announced == ZSTD_CONTENTSIZE_UNKNOWN || announced == ZSTD_CONTENTSIZE_ERROR ? 0 : announced;
  }
  if (coding != PLUMB_CODING_GZIP || size < 18) return 0;
  // The last member's size, modulo 2^32 (RFC 1952 §2.3.1).
  const uint8_t *end = bytes + size;
  return (uint32_t)end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 | (uint32_t)end[-1] << 24;
}
