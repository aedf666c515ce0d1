// SOCK_CLOEXEC is an extension of POSIX.
#define _GNU_SOURCE
#include <sys/socket.h>

#include "CCurl.h"

CURLcode plumb_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode plumb_curl_set_text(CURL *handle, CURLoption option, const char *text) {
  return curl_easy_setopt(handle, option, text);
}

CURLcode plumb_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode plumb_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *list) {
  return curl_easy_setopt(handle, option, list);
}

CURLcode plumb_curl_set_size(CURL *handle, CURLoption option, curl_off_t size) {
  return curl_easy_setopt(handle, option, size);
}

CURLcode plumb_curl_set_data(CURL *handle, CURLoption option, plumb_curl_data function) {
  return curl_easy_setopt(handle, option, function);
}

CURLcode plumb_curl_set_opener(CURL *handle, plumb_curl_opener function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
}

CURLcode plumb_curl_set_progress(CURL *handle, plumb_curl_progress function, void *context) {
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
}

long plumb_curl_status(CURL *handle) {
  long status = 0;
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

curl_off_t plumb_curl_retry_after(CURL *handle) {
  curl_off_t seconds = 0;
  return curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK ? seconds : 0;
}

const struct sockaddr *plumb_curl_address(const struct curl_sockaddr *address) { return &address->addr; }

curl_socket_t plumb_curl_open(const struct curl_sockaddr *address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

curl_socket_t plumb_curl_no_socket(void) { return CURL_SOCKET_BAD; }
