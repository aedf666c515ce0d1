#include "CBuildInfo.h"

#include <CSimdJSON.h>
#include <brotli/decode.h>
#include <curl/curl.h>
#include <microhttpd.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

// The place that deploy/stamp fills in: a marker, then room for a commit and a note. A new commit does not recompile
// the binary. The array is volatile, so that the compiler does not rely on the bytes it sees here.
__attribute__((used)) volatile char plumb_commit_stamp[81] =
  "plumb-built-from:"
  "                                                               ";

// The length of the marker.
enum { PREFIX = 17 };

const char *plumb_commit(void) {
  static char commit[sizeof plumb_commit_stamp];
  size_t length = 0;
  for (size_t at = PREFIX; at + 1 < sizeof plumb_commit_stamp && plumb_commit_stamp[at] > ' '; at++) {
    commit[length++] = plumb_commit_stamp[at];
  }
  return commit;
}

static const char *brotli_version(void) {
  static char text[32];
  uint32_t version = BrotliDecoderVersion();
  snprintf(text, sizeof text, "%u.%u.%u", version >> 24, (version >> 12) & 0xFFF, version & 0xFFF);
  return text;
}

size_t plumb_libraries(plumb_library *to, size_t room) {
  const plumb_library all[] = {
    {"sqlite", sqlite3_libversion()},
    {"libmicrohttpd", MHD_get_version()},
    {"libcurl", curl_version_info(CURLVERSION_NOW)->version},
    {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)},
    {"simdjson", plumb_json_library_version()},
    {"zlib", zlibVersion()},
    {"zstd", ZSTD_versionString()},
    {"brotli", brotli_version()},
  };
  const size_t count = sizeof all / sizeof all[0];
  for (size_t at = 0; at < count && at < room; at++) to[at] = all[at];
  return count;
}
