#include "unpacker.h"

bool plumb_brotli_create(plumb_unpacker *unpacker) {
  // Windows above 16 MiB are disabled by default.
  unpacker->state.brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
  return unpacker->state.brotli != NULL;
}

static bool is_memory(BrotliDecoderErrorCode code) {
  return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
}

plumb_unpack_status plumb_brotli_run(plumb_unpacker *unpacker, uint8_t *to, size_t room, size_t *written) {
  const uint8_t *from = unpacker->bytes + unpacker->at;
  size_t rest = unpacker->size - unpacker->at;
  size_t left = room;
  BrotliDecoderState *state = unpacker->state.brotli;
  BrotliDecoderResult result = BrotliDecoderDecompressStream(state, &rest, &from, &left, &to, NULL);
  unpacker->at = unpacker->size - rest;
  *written = room - left;
  switch (result) {
    case BROTLI_DECODER_RESULT_SUCCESS: return rest == 0 ? PLUMB_UNPACK_DONE : PLUMB_UNPACK_DAMAGED;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return PLUMB_UNPACK_TRUNCATED;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return PLUMB_UNPACK_FULL;
    case BROTLI_DECODER_RESULT_ERROR: break;
  }
  return is_memory(BrotliDecoderGetErrorCode(state)) ? PLUMB_UNPACK_NO_MEMORY : PLUMB_UNPACK_DAMAGED;
}
