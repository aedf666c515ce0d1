#include "CCrypto.h"
#include "common.h"

#include <openssl/err.h>
#include <openssl/evp.h>

bool plumb_scrypt(
  const void *password, size_t password_count, const void *salt, size_t salt_count, uint64_t cost, uint64_t block_size,
  uint64_t parallelism, uint64_t memory, uint8_t *to, size_t count) {
  ERR_set_mark();
  int derived = EVP_PBE_scrypt_ex(
    password, password_count, salt, salt_count, cost, block_size, parallelism, memory, to, count,
    plumb_crypto_library(), NULL);
  ERR_pop_to_mark();
  return derived == 1;
}
