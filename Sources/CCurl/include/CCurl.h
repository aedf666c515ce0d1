#pragma once

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/* Swift imports no variadic functions, and curl_easy_setopt and curl_easy_getinfo are. Each function below gives one of
   their uses a type, and does nothing else. */

CURLcode plumb_curl_set_number(CURL *handle, CURLoption option, long value);
/// libcurl copies the text.
CURLcode plumb_curl_set_text(CURL *handle, CURLoption option, const char *text);
/// What it points to must live until the transfer has ended.
CURLcode plumb_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode plumb_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *list);
CURLcode plumb_curl_set_size(CURL *handle, CURLoption option, curl_off_t size);

typedef size_t (*plumb_curl_data)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*plumb_curl_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

/// CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION or CURLOPT_READFUNCTION.
CURLcode plumb_curl_set_data(CURL *handle, CURLoption option, plumb_curl_data function);
CURLcode plumb_curl_set_opener(CURL *handle, plumb_curl_opener function, void *context);

/// CURLINFO_RESPONSE_CODE: of HTTP or SMTP, 0 when nothing was answered.
long plumb_curl_status(CURL *handle);
/// CURLINFO_RETRY_AFTER: seconds, 0 when the answer has no such header.
curl_off_t plumb_curl_retry_after(CURL *handle);

/// The address of a socket that libcurl is about to open.
const struct sockaddr *plumb_curl_address(const struct curl_sockaddr *address);
/// Opens that socket; CURL_SOCKET_BAD when it cannot be opened.
curl_socket_t plumb_curl_open(const struct curl_sockaddr *address);
/// CURL_SOCKET_BAD is a cast, which Swift does not import.
curl_socket_t plumb_curl_no_socket(void);
