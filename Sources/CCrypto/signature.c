#include "CCrypto.h"
#include "common.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <string.h>

enum { LEAST_BITS = 2048, MOST_BITS = 8192, MOST_EXPONENT_BITS = 33, COORDINATE = 32, MOST_PEM = 16384 };

// A plumb_key is an EVP_PKEY. The verifying functions take a non-const one, but change only its reference count, with
// atomic operations.
static EVP_PKEY *pkey(const plumb_key *key) { return (EVP_PKEY *)key; }

// NULL for numbers that do not form a key.
static EVP_PKEY *make(const char *kind, OSSL_PARAM *numbers) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(plumb_crypto_library(), kind, NULL);
  if (numbers == NULL || context == NULL || EVP_PKEY_fromdata_init(context) != 1
    || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, numbers) != 1) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  return key;
}

static bool is_rsa(const BIGNUM *modulus, const BIGNUM *exponent) {
  if (modulus == NULL || exponent == NULL) return false;
  int bits = BN_num_bits(modulus);
  return bits >= LEAST_BITS && bits <= MOST_BITS && BN_is_odd(modulus) && BN_is_odd(exponent) && !BN_is_one(exponent)
    && BN_num_bits(exponent) <= MOST_EXPONENT_BITS;
}

plumb_key *plumb_key_rsa(const uint8_t *modulus, size_t modulus_count, const uint8_t *exponent, size_t exponent_count) {
  // Checked before BN_bin2bn, which allocates as much. Some providers write a zero before the first byte.
  if (modulus_count > MOST_BITS / 8 + 1 || exponent_count > 8) return NULL;
  ERR_set_mark();
  EVP_PKEY *key = NULL;
  BIGNUM *n = BN_bin2bn(modulus, (int)modulus_count, NULL), *e = BN_bin2bn(exponent, (int)exponent_count, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (builder != NULL && is_rsa(n, e) && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1
    && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1) {
    OSSL_PARAM *numbers = OSSL_PARAM_BLD_to_param(builder);
    key = make("RSA", numbers);
    OSSL_PARAM_free(numbers);
  }
  OSSL_PARAM_BLD_free(builder);
  BN_free(n);
  BN_free(e);
  ERR_pop_to_mark();
  return (plumb_key *)key;
}

plumb_key *plumb_key_p256(const uint8_t x[32], const uint8_t y[32]) {
  uint8_t point[1 + 2 * COORDINATE] = {POINT_CONVERSION_UNCOMPRESSED};
  memcpy(point + 1, x, COORDINATE);
  memcpy(point + 1 + COORDINATE, y, COORDINATE);
  char curve[] = "prime256v1";
  OSSL_PARAM numbers[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, curve, 0),
    OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point), OSSL_PARAM_construct_end(),
  };
  ERR_set_mark();
  EVP_PKEY *key = make("EC", numbers);
  EVP_PKEY_CTX *check = key == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(plumb_crypto_library(), key, NULL);
  if (check == NULL || EVP_PKEY_public_check(check) != 1) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  EVP_PKEY_CTX_free(check);
  ERR_pop_to_mark();
  return (plumb_key *)key;
}

static bool verifies(
  EVP_PKEY *key, const uint8_t *signature, size_t signature_count, const void *bytes, size_t count) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  EVP_PKEY_CTX *settings = NULL;
  bool is_valid =
    context != NULL
    && EVP_DigestVerifyInit_ex(context, &settings, "SHA256", plumb_crypto_library(), NULL, key, NULL) == 1
    && (!EVP_PKEY_is_a(key, "RSA") || EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PADDING) == 1)
    && EVP_DigestVerify(context, signature, signature_count, bytes, count) == 1;
  EVP_MD_CTX_free(context);
  return is_valid;
}

// ECDSA: JWS uses r and s (RFC 7518 §3.4), OpenSSL a DER sequence of both.
static bool verifies_pair(EVP_PKEY *key, const uint8_t pair[2 * COORDINATE], const void *bytes, size_t count) {
  BIGNUM *r = BN_bin2bn(pair, COORDINATE, NULL), *s = BN_bin2bn(pair + COORDINATE, COORDINATE, NULL);
  ECDSA_SIG *both = ECDSA_SIG_new();
  if (r == NULL || s == NULL || both == NULL || ECDSA_SIG_set0(both, r, s) != 1) {
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(both);
    return false;
  }
  unsigned char *encoded = NULL;
  int length = i2d_ECDSA_SIG(both, &encoded);
  bool is_valid = length > 0 && verifies(key, encoded, (size_t)length, bytes, count);
  OPENSSL_free(encoded);
  ECDSA_SIG_free(both);
  return is_valid;
}

bool plumb_key_verifies(
  const plumb_key *key, const uint8_t *signature, size_t signature_count, const void *bytes, size_t count) {
  ERR_set_mark();
  bool is_valid =
    EVP_PKEY_is_a(pkey(key), "EC")
    ? signature_count == 2 * COORDINATE && verifies_pair(pkey(key), signature, bytes, count)
    : verifies(pkey(key), signature, signature_count, bytes, count);
  ERR_pop_to_mark();
  return is_valid;
}

// Without it, OpenSSL would ask for the password of an encrypted key on the terminal.
static int no_password(char *to, int count, int is_writing, void *context) {
  (void)to, (void)count, (void)is_writing, (void)context;
  return -1;
}

plumb_key *plumb_key_private_p256(const char *pem, size_t count) {
  if (count > MOST_PEM) return NULL;
  ERR_set_mark();
  BIO *input = BIO_new_mem_buf(pem, (int)count);
  EVP_PKEY *key =
    input == NULL ? NULL : PEM_read_bio_PrivateKey_ex(input, NULL, no_password, NULL, plumb_crypto_library(), NULL);
  char curve[32] = "";
  if (key != NULL
    && (!EVP_PKEY_is_a(key, "EC")
      || EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, curve, sizeof curve, NULL) != 1
      || strcmp(curve, "prime256v1") != 0)) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  BIO_free(input);
  ERR_pop_to_mark();
  return (plumb_key *)key;
}

bool plumb_key_sign(const plumb_key *key, const void *bytes, size_t count, uint8_t pair[2 * COORDINATE]) {
  ERR_set_mark();
  uint8_t encoded[128];
  size_t length = sizeof encoded;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  bool is_signed = context != NULL
    && EVP_DigestSignInit_ex(context, NULL, "SHA256", plumb_crypto_library(), NULL, pkey(key), NULL) == 1
    && EVP_DigestSign(context, encoded, &length, bytes, count) == 1;
  EVP_MD_CTX_free(context);
  // OpenSSL writes a DER sequence, JWS uses r and s (RFC 7518 §3.4).
  const uint8_t *start = encoded;
  ECDSA_SIG *both = is_signed ? d2i_ECDSA_SIG(NULL, &start, (long)length) : NULL;
  is_signed = both != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(both), pair, COORDINATE) == COORDINATE
    && BN_bn2binpad(ECDSA_SIG_get0_s(both), pair + COORDINATE, COORDINATE) == COORDINATE;
  ECDSA_SIG_free(both);
  ERR_pop_to_mark();
  return is_signed;
}

void plumb_key_free(plumb_key *key) { EVP_PKEY_free(pkey(key)); }
