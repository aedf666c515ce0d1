#pragma once

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/* Typed wrappers for curl_easy_setopt and curl_easy_getinfo, which are variadic, so that Swift cannot import them. */

CURLcode plumb_curl_set_number(CURL *handle, CURLoption option, long value);
/// Sets an option to a text, which libcurl copies.
CURLcode plumb_curl_set_text(CURL *handle, CURLoption option, const char *text);
/// Sets an option to a pointer, which must stay valid until the transfer has ended.
CURLcode plumb_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode plumb_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *list);
CURLcode plumb_curl_set_size(CURL *handle, CURLoption option, curl_off_t size);

typedef size_t (*plumb_curl_data)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*plumb_curl_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

/// Sets CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION or CURLOPT_READFUNCTION.
CURLcode plumb_curl_set_data(CURL *handle, CURLoption option, plumb_curl_data function);
CURLcode plumb_curl_set_opener(CURL *handle, plumb_curl_opener function, void *context);

/// Sets a function that is called at least once a second during a transfer. A return value other than 0 ends it.
typedef int (*plumb_curl_progress)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
CURLcode plumb_curl_set_progress(CURL *handle, plumb_curl_progress function, void *context);

/// CURLINFO_RESPONSE_CODE: the HTTP or SMTP status; 0 without a response.
long plumb_curl_status(CURL *handle);
/// CURLINFO_RETRY_AFTER, in seconds; 0 without that header.
curl_off_t plumb_curl_retry_after(CURL *handle);

/// The address that libcurl is about to connect to.
const struct sockaddr *plumb_curl_address(const struct curl_sockaddr *address);
/// Opens a socket for that address; returns CURL_SOCKET_BAD on failure.
curl_socket_t plumb_curl_open(const struct curl_sockaddr *address);
/// CURL_SOCKET_BAD, a macro with a cast, which Swift does not import.
curl_socket_t plumb_curl_no_socket(void);
