#include "include/CCompression.h"

#include <stdlib.h>
#include <zstd.h>

struct plumb_zstd_dictionary {
  ZSTD_CDict *compressing;
  ZSTD_DDict *decompressing;
  ZSTD_CCtx *compressor;
  ZSTD_DCtx *decompressor;
};

plumb_zstd_dictionary *plumb_zstd_dictionary_create(const uint8_t *bytes, size_t size, int level) {
  // 0 is the id of content that is no dictionary.
  if (ZSTD_getDictID_fromDict(bytes, size) == 0) return NULL;
  plumb_zstd_dictionary *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->compressing = ZSTD_createCDict(bytes, size, level);
  made->decompressing = ZSTD_createDDict(bytes, size);
  made->compressor = ZSTD_createCCtx();
  made->decompressor = ZSTD_createDCtx();
  if (made->compressing && made->decompressing && made->compressor && made->decompressor &&
      !ZSTD_isError(ZSTD_CCtx_refCDict(made->compressor, made->compressing)) &&
      !ZSTD_isError(ZSTD_CCtx_setParameter(made->compressor, ZSTD_c_checksumFlag, 1))) {
    return made;
  }
  plumb_zstd_dictionary_destroy(made);
  return NULL;
}

void plumb_zstd_dictionary_destroy(plumb_zstd_dictionary *dictionary) {
  if (!dictionary) return;
  ZSTD_freeCCtx(dictionary->compressor);
  ZSTD_freeDCtx(dictionary->decompressor);
  ZSTD_freeCDict(dictionary->compressing);
  ZSTD_freeDDict(dictionary->decompressing);
  free(dictionary);
}

size_t plumb_zstd_dictionary_compress(
    plumb_zstd_dictionary *dictionary, uint8_t *to, size_t room, const uint8_t *bytes, size_t size) {
  size_t written = ZSTD_compress2(dictionary->compressor, to, room, bytes, size);
  return ZSTD_isError(written) ? 0 : written;
}

size_t plumb_zstd_dictionary_decompress(
    plumb_zstd_dictionary *dictionary, uint8_t *to, size_t room, const uint8_t *bytes, size_t size) {
  size_t written =
      ZSTD_decompress_usingDDict(dictionary->decompressor, to, room, bytes, size, dictionary->decompressing);
  return ZSTD_isError(written) ? SIZE_MAX : written;
}
