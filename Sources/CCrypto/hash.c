// Of OpenSSL's hashes, only those deprecated in 3.0 have a state that is copied without allocating memory. Copying an
// EVP_MD_CTX takes two allocations, and a session needs two codes.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "CCrypto.h"
#include "common.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The block size of SHA-256.
enum { BLOCK = 64 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static OSSL_LIB_CTX *library;
static EVP_MD *sha1, *sha256;

void plumb_crypto_require(bool succeeded) {
  if (succeeded) return;
  fputs("libcrypto failed, probably for lack of memory.\n", stderr);
  abort();
}

static void set_up(void) {
  library = OSSL_LIB_CTX_new();
  plumb_crypto_require(library != NULL);
  sha1 = EVP_MD_fetch(library, "SHA1", NULL);
  sha256 = EVP_MD_fetch(library, "SHA256", NULL);
  plumb_crypto_require(sha1 != NULL && sha256 != NULL);
}

OSSL_LIB_CTX *plumb_crypto_library(void) {
  pthread_once(&once, set_up);
  return library;
}

// A plumb_hash is an EVP_MD_CTX. This way Swift does not import OpenSSL's header with its thousands of names.
static EVP_MD_CTX *context(plumb_hash *hash) { return (EVP_MD_CTX *)hash; }

static EVP_MD_CTX *begin(const EVP_MD *kind) {
  EVP_MD_CTX *new = EVP_MD_CTX_new();
  plumb_crypto_require(new != NULL && EVP_DigestInit_ex2(new, kind, NULL) == 1);
  return new;
}

plumb_hash *plumb_sha1_new(void) {
  plumb_crypto_library();
  return (plumb_hash *)begin(sha1);
}

plumb_hash *plumb_sha256_new(void) {
  plumb_crypto_library();
  return (plumb_hash *)begin(sha256);
}

void plumb_hash_update(plumb_hash *hash, const void *bytes, size_t count) {
  plumb_crypto_require(EVP_DigestUpdate(context(hash), bytes, count) == 1);
}

void plumb_hash_finish(plumb_hash *hash, uint8_t *to) {
  plumb_crypto_require(EVP_DigestFinal_ex(context(hash), to, NULL) == 1);
}

void plumb_hash_free(plumb_hash *hash) { EVP_MD_CTX_free(context(hash)); }

// The states of SHA-256 after the key's block in the inner and in the outer pass, with which every code begins.
struct plumb_hmac {
  SHA256_CTX inner, outer;
};

static void begin_pass(SHA256_CTX *pass, const uint8_t key[BLOCK], uint8_t pad) {
  uint8_t block[BLOCK];
  for (int at = 0; at < BLOCK; at++) block[at] = key[at] ^ pad;
  plumb_crypto_require(SHA256_Init(pass) == 1 && SHA256_Update(pass, block, sizeof block) == 1);
  OPENSSL_cleanse(block, sizeof block);
}

plumb_hmac *plumb_hmac_new(const void *key, size_t count) {
  plumb_crypto_library();
  uint8_t block[BLOCK] = {0};
  if (count > BLOCK) {
    plumb_crypto_require(EVP_Digest(key, count, block, NULL, sha256, NULL) == 1);
  } else if (count > 0) {
    memcpy(block, key, count);
  }
  plumb_hmac *new = malloc(sizeof *new);
  plumb_crypto_require(new != NULL);
  begin_pass(&new->inner, block, 0x36);
  begin_pass(&new->outer, block, 0x5C);
  OPENSSL_cleanse(block, sizeof block);
  return new;
}

void plumb_hmac_code(const plumb_hmac *hmac, const void *bytes, size_t count, uint8_t to[PLUMB_SHA256_BYTES]) {
  SHA256_CTX pass = hmac->inner;
  uint8_t inner[PLUMB_SHA256_BYTES];
  plumb_crypto_require(SHA256_Update(&pass, bytes, count) == 1 && SHA256_Final(inner, &pass) == 1);
  pass = hmac->outer;
  plumb_crypto_require(SHA256_Update(&pass, inner, sizeof inner) == 1 && SHA256_Final(to, &pass) == 1);
  OPENSSL_cleanse(&pass, sizeof pass);
}

void plumb_hmac_free(plumb_hmac *hmac) {
  OPENSSL_cleanse(hmac, sizeof *hmac);
  free(hmac);
}

bool plumb_equal(const void *left, const void *right, size_t count) {
  return count == 0 || CRYPTO_memcmp(left, right, count) == 0;
}
