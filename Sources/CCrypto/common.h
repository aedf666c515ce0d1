#pragma once

#include <openssl/types.h>
#include <stdbool.h>

/// The context from which algorithms are fetched. It is not OpenSSL's default, which the system's openssl.cnf can
/// change: verifying a stored password must not depend on that file.
OSSL_LIB_CTX *plumb_crypto_library(void);

/// Ends the process unless `succeeded`. Only for calls that fail for lack of memory alone.
void plumb_crypto_require(bool succeeded);
