#include "unpacker.h"

#include <stdlib.h>
#include <zstd_errors.h>

/// Whether a frame of the current format, or one to skip, begins here (RFC 8878 §3.1). The library may also accept
/// formats from before 1.0, whose windows it does not limit.
static bool starts_frame(const uint8_t *bytes, size_t size) {
  static const uint8_t frame[4] = {0x28, 0xB5, 0x2F, 0xFD}, skippable[4] = {0x50, 0x2A, 0x4D, 0x18};
  bool is_frame = true, is_skippable = true;
  for (size_t index = 0; index < size && index < 4; index++) {
    uint8_t mask = index == 0 ? 0xF0 : 0xFF;
    if (bytes[index] != frame[index]) is_frame = false;
    if ((bytes[index] & mask) != skippable[index]) is_skippable = false;
  }
  return is_frame || is_skippable;
}

static plumb_unpack_status status(size_t code) {
  switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_frameParameter_windowTooLarge: return PLUMB_UNPACK_WINDOW;
    case ZSTD_error_memory_allocation: return PLUMB_UNPACK_NO_MEMORY;
    default: return PLUMB_UNPACK_DAMAGED;
  }
}

bool plumb_zstd_create(plumb_unpacker *unpacker) {
  ZSTD_DCtx *state = ZSTD_createDCtx();
  unpacker->state.zstd = state;
  return state && !ZSTD_isError(ZSTD_DCtx_setParameter(state, ZSTD_d_windowLogMax, PLUMB_ZSTD_WINDOW_LOG));
}

plumb_unpack_status plumb_zstd_run(plumb_unpacker *unpacker, uint8_t *to, size_t room, size_t *written) {
  ZSTD_inBuffer in = {unpacker->bytes, unpacker->size, unpacker->at};
  ZSTD_outBuffer out = {to, room, 0};
  for (;;) {
    if (unpacker->is_first_byte && !starts_frame(unpacker->bytes + in.pos, in.size - in.pos)) {
      return PLUMB_UNPACK_DAMAGED;
    }
    size_t in_before = in.pos, out_before = out.pos;
    size_t code = ZSTD_decompressStream(unpacker->state.zstd, &out, &in);
    unpacker->at = in.pos;
    *written = out.pos;
    if (ZSTD_isError(code)) return status(code);
    unpacker->is_first_byte = code == 0;
    if (code == 0 && in.pos == in.size) return PLUMB_UNPACK_DONE;
    if (out.pos == room) return PLUMB_UNPACK_FULL;
    if (in.pos == in.size) return PLUMB_UNPACK_TRUNCATED;
    if (in.pos == in_before && out.pos == out_before) return PLUMB_UNPACK_DAMAGED;
  }
}

size_t plumb_zstd_bound(size_t size) { return ZSTD_compressBound(size); }

struct plumb_zstd {
  ZSTD_CCtx *compressor;
  ZSTD_DCtx *decompressor;
};

plumb_zstd *plumb_zstd_state_create(void) {
  plumb_zstd *state = calloc(1, sizeof(plumb_zstd));
  if (!state) return NULL;
  state->compressor = ZSTD_createCCtx();
  state->decompressor = ZSTD_createDCtx();
  if (state->compressor && state->decompressor) return state;
  plumb_zstd_state_destroy(state);
  return NULL;
}

void plumb_zstd_state_destroy(plumb_zstd *state) {
  ZSTD_freeCCtx(state->compressor);
  ZSTD_freeDCtx(state->decompressor);
  free(state);
}

size_t plumb_zstd_state_memory(const plumb_zstd *state) {
  return ZSTD_sizeof_CCtx(state->compressor) + ZSTD_sizeof_DCtx(state->decompressor);
}

size_t plumb_zstd_compress(plumb_zstd *state, uint8_t *to, size_t room, const uint8_t *bytes, size_t size, int level) {
  size_t written = ZSTD_compressCCtx(state->compressor, to, room, bytes, size, level);
  return ZSTD_isError(written) ? 0 : written;
}

bool plumb_zstd_decompress(plumb_zstd *state, uint8_t *to, size_t room, const uint8_t *bytes, size_t size) {
  return starts_frame(bytes, size) && ZSTD_decompressDCtx(state->decompressor, to, room, bytes, size) == room;
}
