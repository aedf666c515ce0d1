/* The least that a server on libmicrohttpd can do. A POST: keeps the body until it is complete, discards it, answers 202.
   A GET: sends SIZE bytes.
   cc -O2 bare.c -o bare -lmicrohttpd && ./bare PORT [SIZE] */
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct upload {
  char *bytes;
  size_t size, capacity;
};

static char *page;
static size_t page_size = 2;

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *piece, size_t *length, void **state) {
  struct upload *upload = *state;
  if (!upload) {
    *state = calloc(1, sizeof *upload);
    return *state ? MHD_YES : MHD_NO;
  }
  if (*length) {
    if (upload->size + *length > upload->capacity) {
      upload->capacity = 2 * (upload->size + *length);
      upload->bytes = realloc(upload->bytes, upload->capacity);
    }
    memcpy(upload->bytes + upload->size, piece, *length);
    upload->size += *length;
    *length = 0;
    return MHD_YES;
  }
  int is_post = strcmp(method, "POST") == 0;
  struct MHD_Response *response =
      MHD_create_response_from_buffer(is_post ? 2 : page_size, is_post ? "{}" : page, MHD_RESPMEM_PERSISTENT);
  enum MHD_Result queued = MHD_queue_response(connection, is_post ? 202 : 200, response);
  MHD_destroy_response(response);
  return queued;
}

static void forget(
    void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code) {
  struct upload *upload = *state;
  if (upload) free(upload->bytes);
  free(upload);
  *state = NULL;
}

int main(int count, char **arguments) {
  if (count < 2) return 64;
  if (count > 2) page_size = strtoul(arguments[2], NULL, 10);
  page = malloc(page_size);
  if (!page) return 1;
  memset(page, ' ', page_size);
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD, (uint16_t)atoi(arguments[1]), NULL, NULL, &answer, NULL,
      MHD_OPTION_THREAD_POOL_SIZE, 2u, MHD_OPTION_NOTIFY_COMPLETED, &forget, NULL, MHD_OPTION_END);
  if (!daemon) return 1;
  pause();
}
