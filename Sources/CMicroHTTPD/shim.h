#pragma once
#include <malloc.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* Swift imports neither variadic functions, nor the members of the enumerations that libmicrohttpd marks as flags, nor
   MHD_RESPMEM_MUST_COPY. Each function below gives one of them a type, and does nothing else. */

/* Paths and query parts reach Swift still escaped: libmicrohttpd would hand over C strings, which %00 cuts short, and
   "/a%2Fb" could not be told from "/a/b". */
static inline size_t plumb_keep_escaped(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

/* Memory of a connection for its head, and then for pieces of its body. libmicrohttpd clears all of it after each
   request, so that every connection that was ever used holds it: 4,096 of them 96 MiB. */
#define PLUMB_CONNECTION_MEMORY (24 * 1024)

/* Of an address, and so of what libmicrohttpd 0.9.75 takes apart. Each parameter takes 64 bytes of the connection's
   memory; when that is used up in the middle of them, its answer is overwritten by its own next step and the client
   waits for ever. So whatever is longer is cut off before, and answered here. */
#define PLUMB_TARGET_BYTES 8192
#define PLUMB_TARGET_PARAMETERS 100

/* What is known of a target before the headers. */
typedef enum { PLUMB_TARGET_WHOLE = 0, PLUMB_TARGET_TOO_LONG = 1, PLUMB_TARGET_MALFORMED = 2 } plumb_target;

/* Called with the target as it was received and before it is taken apart in place, so that it may be shortened there.
   What it returns is the request's context on its first call. */
static inline void *plumb_check_target(void *context, const char *target, struct MHD_Connection *connection) {
  (void)context;
  (void)connection;
  if (!target || strchr(target, ' ')) return (void *)(intptr_t)PLUMB_TARGET_MALFORMED;
  char *query = strchr((char *)target, '?');
  if (!query) return NULL;
  size_t parameters = 1;
  for (const char *rest = query; (rest = strchr(rest, '&')); rest++) parameters++;
  if (parameters <= PLUMB_TARGET_PARAMETERS && strlen(target) <= PLUMB_TARGET_BYTES) return NULL;
  query[1] = '\0';
  return (void *)(intptr_t)PLUMB_TARGET_TOO_LONG;
}

/* What plumb_check_target said about the request with this context, if nobody has changed it since. */
static inline plumb_target plumb_target_of(const void *context) {
  return context == (void *)(intptr_t)PLUMB_TARGET_TOO_LONG    ? PLUMB_TARGET_TOO_LONG
         : context == (void *)(intptr_t)PLUMB_TARGET_MALFORMED ? PLUMB_TARGET_MALFORMED
                                                               : PLUMB_TARGET_WHOLE;
}

/* MHD_start_daemon is variadic. The daemon has no listening socket: connections come through MHD_add_connection (see
   Acceptor.swift). A pool of one thread is refused by libmicrohttpd, so the pool option is left out then. Not strict:
   0.9.75 then looks for a Host even after it has answered that there is no memory for the cookies, and closes without
   sending that. What strictness asks for is asked in plumb_check_target and in Framing.swift. */
static inline struct MHD_Daemon *plumb_start_daemon(
    unsigned int threads, unsigned int connections, unsigned int idle_seconds, MHD_AccessHandlerCallback access,
    MHD_NotifyConnectionCallback connection, MHD_RequestCompletedCallback completed, void *context) {
  struct MHD_OptionItem pool[] = {
      {threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)threads, NULL},
      {MHD_OPTION_END, 0, NULL},
  };
  return MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, access,
      context, MHD_OPTION_ARRAY, pool, MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT,
      idle_seconds, MHD_OPTION_NOTIFY_CONNECTION, connection, context, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_UNESCAPE_CALLBACK, &plumb_keep_escaped, NULL, MHD_OPTION_URI_LOG_CALLBACK, &plumb_check_target, NULL,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)PLUMB_CONNECTION_MEMORY, MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_END);
}

/* MHD_get_connection_info is variadic. The socket of a connection, -1 when unknown. */
static inline int plumb_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* MHD_get_connection_info is variadic. Who connected, as MHD_add_connection was told; false when unknown. */
static inline bool plumb_connection_address(struct MHD_Connection *connection, struct sockaddr_storage *address) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!info || !info->client_addr) return false;
  /* The sizes of struct sockaddr_in6 and sockaddr_in, whose header would take them away from Glibc's module. */
  size_t size = info->client_addr->sa_family == AF_INET6 ? 28 : info->client_addr->sa_family == AF_INET ? 16 : 0;
  memcpy(address, info->client_addr, size);
  return size > 0;
}

/* MHD_get_connection_info is variadic. Bytes from the method to the end of the headers. */
static inline size_t plumb_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

/* MHD_get_connection_info is variadic. What NOTIFY_CONNECTION left for this connection. */
static inline void *plumb_connection_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/* MHD_HEADER_KIND is a flag. The first header of that name, in any letter case. */
static inline enum MHD_Result plumb_header(
    struct MHD_Connection *connection, const char *name, size_t name_size, const char **value, size_t *value_size) {
  return MHD_lookup_connection_value_n(connection, MHD_HEADER_KIND, name, name_size, value, value_size);
}

/* MHD_HEADER_KIND is a flag. */
static inline void plumb_each_header(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN visit, void *context) {
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, visit, context);
}

/* MHD_GET_ARGUMENT_KIND is a flag. */
static inline void plumb_each_argument(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN visit, void *context) {
  MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, visit, context);
}

/* Blocks from 512 KiB on are the system's own and go back to it when they are freed, growing without a copy. glibc would
   raise that limit to the largest block ever freed, and keep bodies of megabytes in its heaps for good. */
static inline void plumb_return_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 512 * 1024); }

/* accept4 is declared for _GNU_SOURCE only, which the importer does not set. */
extern int accept4(int, struct sockaddr *__restrict, socklen_t *__restrict, int);
static inline int plumb_accept(int listening, struct sockaddr_storage *address, socklen_t *size) {
  return accept4(listening, (struct sockaddr *)address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
