#pragma once
#include <limits.h>
#include <malloc.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Typed wrappers for parts that Swift cannot import: variadic functions, and members of enumerations that libmicrohttpd
   marks as flags. Unless stated, they do nothing else. */

/* An unescape callback that changes nothing, so that Swift receives percent-encoded paths and queries. If
   libmicrohttpd decoded them, a C string would end at %00, and "/a%2Fb" could not be distinguished from "/a/b". */
static inline size_t plumb_keep_escaped(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

/* Memory per connection in bytes, for its head and then for pieces of its body. libmicrohttpd clears all of it after
   each request, so every connection that was ever used occupies it: 4,096 connections 96 MiB. */
#define PLUMB_CONNECTION_MEMORY (24 * 1024)

/* The longest accepted request target, and the maximum number of query parameters. libmicrohttpd 0.9.75 uses 64 bytes
   of the connection's memory for each parameter. If they use up the memory, it overwrites its own error response, and
   the client waits forever. So Plumb cuts longer targets before libmicrohttpd parses them, and answers itself. */
#define PLUMB_TARGET_BYTES 8192
#define PLUMB_TARGET_PARAMETERS 100

/* The result of checking a request target, before the headers are parsed. */
typedef enum { PLUMB_TARGET_WHOLE = 0, PLUMB_TARGET_TOO_LONG = 1, PLUMB_TARGET_MALFORMED = 2 } plumb_target;

/* Checks a request target. libmicrohttpd calls this with the received target before parsing it in place, so that it can
   be shortened here. The result, a plumb_target, becomes the request's context in its first callback. */
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

/* The result of plumb_check_target in a request's context, unless the context has changed since. */
static inline plumb_target plumb_target_of(const void *context) {
  return context == (void *)(intptr_t)PLUMB_TARGET_TOO_LONG    ? PLUMB_TARGET_TOO_LONG
         : context == (void *)(intptr_t)PLUMB_TARGET_MALFORMED ? PLUMB_TARGET_MALFORMED
                                                               : PLUMB_TARGET_WHOLE;
}

/* Calls MHD_start_daemon, which is variadic. The daemon has no thread (see MicroHTTPDaemon.swift) and no listening
   socket: connections are added with MHD_add_connection (see Acceptor.swift). Strict parsing is off: in strict mode
   0.9.75 requires a Host even after it has queued the response that memory for cookies is used up, and closes the
   connection without sending it. plumb_check_target and RequestFraming.swift do the checks of strict mode. */
static inline struct MHD_Daemon *plumb_start_daemon(
    unsigned int connections, unsigned int idle_seconds, MHD_AccessHandlerCallback access,
    MHD_NotifyConnectionCallback connection, MHD_RequestCompletedCallback completed, void *context) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, access, context,
      MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_NOTIFY_CONNECTION, connection, context, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_UNESCAPE_CALLBACK, &plumb_keep_escaped, NULL, MHD_OPTION_URI_LOG_CALLBACK, &plumb_check_target, NULL,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)PLUMB_CONNECTION_MEMORY, MHD_OPTION_STRICT_FOR_CLIENT, 0,
      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
}

/* The descriptor that is readable when MHD_run has events to handle, by MHD_get_daemon_info, which is variadic. */
static inline int plumb_epoll_descriptor(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/* The time until MHD_run has work to do without an event: 0 if it has now, -1 if it never will. */
static inline int plumb_milliseconds_until_work(struct MHD_Daemon *daemon) {
  MHD_UNSIGNED_LONG_LONG milliseconds = 0;
  if (MHD_get_timeout(daemon, &milliseconds) != MHD_YES) return -1;
  return milliseconds > INT_MAX ? INT_MAX : (int)milliseconds;
}

/* A new event descriptor, on which one thread waits for signals of others; -1 and errno if there is none. */
static inline int plumb_event_descriptor(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/* Makes writing to a closed connection an error for this thread instead of a signal. */
static inline void plumb_block_broken_pipe_signal(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

/* The socket of a connection, by MHD_get_connection_info, which is variadic; -1 if unknown. */
static inline int plumb_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* The peer's address as passed to MHD_add_connection, by MHD_get_connection_info, which is variadic. False if it is
   unknown. */
static inline bool plumb_connection_address(struct MHD_Connection *connection, struct sockaddr_storage *address) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!info || !info->client_addr) return false;
  /* The sizes of struct sockaddr_in6 and sockaddr_in. Including their header would move them out of Glibc's module. */
  size_t size = info->client_addr->sa_family == AF_INET6 ? 28 : info->client_addr->sa_family == AF_INET ? 16 : 0;
  memcpy(address, info->client_addr, size);
  return size > 0;
}

/* The number of bytes from the method to the end of the headers, by MHD_get_connection_info, which is variadic. */
static inline size_t plumb_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

/* The pointer that MHD_OPTION_NOTIFY_CONNECTION's callback stored, by MHD_get_connection_info, which is variadic. */
static inline void *plumb_connection_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/* The first header called `name`, in any letter case. MHD_HEADER_KIND is a flag, which Swift does not import. */
static inline enum MHD_Result plumb_header(
    struct MHD_Connection *connection, const char *name, size_t name_size, const char **value, size_t *value_size) {
  return MHD_lookup_connection_value_n(connection, MHD_HEADER_KIND, name, name_size, value, value_size);
}

/* Visits all headers. MHD_HEADER_KIND is a flag, which Swift does not import. */
static inline void plumb_each_header(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN visit, void *context) {
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, visit, context);
}

/* Visits all query parameters. MHD_GET_ARGUMENT_KIND is a flag, which Swift does not import. */
static inline void plumb_each_argument(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN visit, void *context) {
  MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, visit, context);
}

/* Makes malloc keep less freed memory. Blocks of 512 KiB or more are mapped, so that they return to the system and grow
   without a copy; by default glibc raises this limit to the largest block ever freed, and would keep megabytes of bodies
   in its heaps. There is one heap for each processor instead of eight, because memory that is freed in one heap cannot be
   used in another. */
static inline void plumb_keep_little_freed_memory(void) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  mallopt(M_MMAP_THRESHOLD, 512 * 1024);
  mallopt(M_ARENA_MAX, processors < 1 ? 1 : (int)processors);
}

/* Returns the freed memory of all of malloc's heaps to the system, not only the end of the first heap. */
static inline void plumb_return_free_memory(void) { malloc_trim(0); }

/* accept4 is declared only if _GNU_SOURCE is defined, which Swift's importer does not do. */
extern int accept4(int, struct sockaddr *__restrict, socklen_t *__restrict, int);
static inline int plumb_accept(int listening, struct sockaddr_storage *address, socklen_t *size) {
  return accept4(listening, (struct sockaddr *)address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
