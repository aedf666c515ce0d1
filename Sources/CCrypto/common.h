#pragma once

#include <openssl/types.h>
#include <stdbool.h>

/// What algorithms are fetched from. It is not OpenSSL's default, for which a file of the system (openssl.cnf) may say
/// otherwise: whether a stored password can be checked must not depend on it.
OSSL_LIB_CTX *plumb_crypto_library(void);

/// Ends the process unless `succeeded`: only for what fails for want of memory alone.
void plumb_crypto_require(bool succeeded);
