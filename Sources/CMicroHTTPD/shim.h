#pragma once
#include <microhttpd.h>
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

/* MHD_start_daemon is variadic. The daemon has no listening socket: connections come through MHD_add_connection (see
   Acceptor.swift). A pool of one thread is refused by libmicrohttpd, so the pool option is left out then. */
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
      MHD_OPTION_UNESCAPE_CALLBACK, &plumb_keep_escaped, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/* MHD_get_connection_info is variadic. The socket of a connection, -1 when unknown. */
static inline int plumb_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
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

/* accept4 is declared for _GNU_SOURCE only, which the importer does not set. */
extern int accept4(int, struct sockaddr *__restrict, socklen_t *__restrict, int);
static inline int plumb_accept(int listening) {
  return accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
