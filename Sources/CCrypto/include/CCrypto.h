#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Hashes, authentication codes, scrypt and signatures of OpenSSL's libcrypto, bytes in and bytes out.

   A call that can fail only for lack of memory ends the process. */

enum { PLUMB_SHA1_BYTES = 20, PLUMB_SHA256_BYTES = 32 };

/// The hash of bytes that are added in portions. For one thread at a time.
typedef struct plumb_hash plumb_hash;
plumb_hash *plumb_sha1_new(void);
plumb_hash *plumb_sha256_new(void);
void plumb_hash_update(plumb_hash *hash, const void *bytes, size_t count);
/// Writes the hash, 20 or 32 bytes. After that only `plumb_hash_free` may be called.
void plumb_hash_finish(plumb_hash *hash, uint8_t *to);
void plumb_hash_free(plumb_hash *hash);

/// HMAC-SHA256 (RFC 2104) with one key. Threads may share it, because it is only read.
typedef struct plumb_hmac plumb_hmac;
plumb_hmac *plumb_hmac_new(const void *key, size_t count);
void plumb_hmac_code(const plumb_hmac *hmac, const void *bytes, size_t count, uint8_t to[PLUMB_SHA256_BYTES]);
void plumb_hmac_free(plumb_hmac *hmac);

/// scrypt (RFC 7914). False for parameters that it does not allow, or that take more than `memory` bytes.
bool plumb_scrypt(
  const void *password, size_t password_count, const void *salt, size_t salt_count, uint64_t cost, uint64_t block_size,
  uint64_t parallelism, uint64_t memory, uint8_t *to, size_t count);

/// Whether the bytes are equal, in a time that depends only on their number.
bool plumb_equal(const void *left, const void *right, size_t count);

/// A key. Threads may share it, because it is only read.
typedef struct plumb_key plumb_key;
/// An RSA key from its big-endian numbers; NULL unless the modulus is odd and has 2048 to 8192 bits, and the exponent
/// is odd, at least 3 and at most 33 bits long.
plumb_key *plumb_key_rsa(const uint8_t *modulus, size_t modulus_count, const uint8_t *exponent, size_t exponent_count);
/// A P-256 key from the big-endian coordinates of its point; NULL for a point that is not on the curve.
plumb_key *plumb_key_p256(const uint8_t x[32], const uint8_t y[32]);
/// Whether the signature of the bytes was made with this key and SHA-256: PKCS #1 v1.5 for RSA, ECDSA for P-256, whose
/// signature is r and s of 32 bytes each.
bool plumb_key_verifies(
  const plumb_key *key, const uint8_t *signature, size_t signature_count, const void *bytes, size_t count);
/// The private P-256 key of a PEM text, at most 16 KiB; NULL for other keys, and for encrypted ones.
plumb_key *plumb_key_private_p256(const char *pem, size_t count);
/// Signs the bytes with a private P-256 key and SHA-256: ECDSA, r and s of 32 bytes each. False if the key is public.
bool plumb_key_sign(const plumb_key *key, const void *bytes, size_t count, uint8_t signature[64]);
void plumb_key_free(plumb_key *key);
