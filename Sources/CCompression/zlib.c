#include <limits.h>

#include "unpacker.h"

enum { PLUMB_GZIP_ONLY = MAX_WBITS + 16, PLUMB_ZLIB_ONLY = MAX_WBITS, PLUMB_RAW = -MAX_WBITS };

/// Whether the bytes can begin zlib's wrapper (RFC 1950 §2.2). Raw deflate never does: its first byte would announce a
/// stored block with non-zero bits where zeros are required.
static bool has_zlib_header(const uint8_t *bytes, size_t size) {
  if (size == 0 || (bytes[0] & 0x0F) != Z_DEFLATED || bytes[0] >> 4 > 7) return false;
  return size == 1 || (bytes[0] << 8 | bytes[1]) % 31 == 0;
}

static bool starts_member(const uint8_t *bytes, size_t size) {
  return bytes[0] == 0x1F && (size == 1 || bytes[1] == 0x8B);
}

static uInt piece(size_t size) { return size > UINT_MAX ? UINT_MAX : (uInt)size; }

bool plumb_zlib_create(plumb_unpacker *unpacker) {
  int bits = unpacker->coding == PLUMB_CODING_GZIP                     ? PLUMB_GZIP_ONLY
             : unpacker->coding == PLUMB_CODING_RAW_DEFLATE            ? PLUMB_RAW
             : has_zlib_header(unpacker->bytes, unpacker->size) ? PLUMB_ZLIB_ONLY
                                                                : PLUMB_RAW;
  return inflateInit2(&unpacker->state.zlib, bits) == Z_OK;
}

plumb_unpack_status plumb_zlib_run(plumb_unpacker *unpacker, uint8_t *to, size_t room, size_t *written) {
  z_stream *stream = &unpacker->state.zlib;
  bool is_gzip = unpacker->coding == PLUMB_CODING_GZIP;
  for (;;) {
    const uint8_t *from = unpacker->bytes + unpacker->at;
    size_t rest = unpacker->size - unpacker->at;
    if (is_gzip && unpacker->is_first_byte && !starts_member(from, rest)) return PLUMB_UNPACK_DAMAGED;
    unpacker->is_first_byte = false;
    uInt in = piece(rest), out = piece(room - *written);
    stream->next_in = (Bytef *)from;
    stream->avail_in = in;
    stream->next_out = to + *written;
    stream->avail_out = out;
    // Z_FINISH avoids zlib's window if the output fits at once; if not, the call is repeated.
    int code = inflate(stream, Z_FINISH);
    unpacker->at += in - stream->avail_in;
    *written += out - stream->avail_out;
    if (code == Z_STREAM_END) {
      if (unpacker->at == unpacker->size) return PLUMB_UNPACK_DONE;
      // Several gzip members may follow each other (RFC 1952 §2.2); nothing may follow a zlib stream.
      if (!is_gzip || inflateReset(stream) != Z_OK) return PLUMB_UNPACK_DAMAGED;
      unpacker->is_first_byte = true;
      continue;
    }
    if (code == Z_MEM_ERROR) return PLUMB_UNPACK_NO_MEMORY;
    if (code != Z_OK && code != Z_BUF_ERROR) return PLUMB_UNPACK_DAMAGED;
    if (*written == room) return PLUMB_UNPACK_FULL;
    if (unpacker->at == unpacker->size) return PLUMB_UNPACK_TRUNCATED;
    if (in == stream->avail_in && out == stream->avail_out) return PLUMB_UNPACK_DAMAGED;
  }
}

size_t plumb_gzip_bound(size_t size) {
  // The bound that deflateBound returns for any state, plus gzip's header and trailer.
  return compressBound(size) + 32;
}

size_t plumb_gzip_compress(uint8_t *to, size_t room, const uint8_t *bytes, size_t size, int level) {
  z_stream stream = {0};
  if (deflateInit2(&stream, level, Z_DEFLATED, PLUMB_GZIP_ONLY, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  size_t read = 0, written = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    uInt in = piece(size - read), out = piece(room - written);
    stream.next_in = (Bytef *)bytes + read;
    stream.avail_in = in;
    stream.next_out = to + written;
    stream.avail_out = out;
    code = deflate(&stream, read + in == size ? Z_FINISH : Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
  }
  deflateEnd(&stream);
  return code == Z_STREAM_END ? written : 0;
}

uint32_t plumb_crc32(uint32_t crc, const uint8_t *bytes, size_t size) { return (uint32_t)crc32_z(crc, bytes, size); }
