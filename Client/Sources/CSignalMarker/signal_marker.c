#include "signal_marker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if __APPLE__
#include <TargetConditionals.h>
#endif

#if TARGET_OS_WATCH
// watchOS does not support handlers of faults.
int signal_marker_install(const char *path) {
  (void)path;
  return ENOTSUP;
}
#else

static const int handled[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
enum { HANDLED = sizeof handled / sizeof handled[0], STACK = 64 * 1024 };

static struct sigaction before[HANDLED];
static volatile int file = -1;
static atomic_flag written = ATOMIC_FLAG_INIT;
static int installed = 0;

/// Appends `number` in decimal. `printf` is not safe in a signal handler.
static char *append(char *end, long long number) {
  char digits[24];
  int count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) *end++ = digits[--count];
  return end;
}

/// Whether the faulting instruction faults again when it is executed again.
static int repeats(int number, const siginfo_t *info) {
  if (number != SIGSEGV && number != SIGBUS && number != SIGILL && number != SIGFPE) return 0;
  return info != NULL && info->si_code > 0 && info->si_code < 0x10000;
}

static void mark(int number, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  if (file >= 0 && !atomic_flag_test_and_set(&written)) {
    char line[64];
    char *end = append(line, number);
    *end++ = ' ';
    end = append(end, (long long)time(NULL));
    *end++ = '\n';
    ssize_t ignored = write(file, line, (size_t)(end - line));
    (void)ignored;
  }
  // The previous handler is restored, and the signal arrives again when this handler returns. A fault repeats with its
  // instruction and the OS's details. Other signals are raised here and wait until then.
  for (int index = 0; index < HANDLED; index++) {
    if (handled[index] == number) sigaction(number, &before[index], NULL);
  }
  errno = saved;
  if (!repeats(number, info)) raise(number);
}

int signal_marker_install(const char *path) {
  int opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (opened < 0) return errno;
  int old = file;
  file = opened;
  if (old >= 0) close(old);
  if (installed) return 0;
  installed = 1;
#if !TARGET_OS_TV
  // A stack that overflowed has no space for a handler. This stack serves the installing thread, which is the main
  // thread.
  stack_t current;
  if (sigaltstack(NULL, &current) == 0 && (current.ss_flags & SS_DISABLE)) {
    stack_t stack = {0};
    stack.ss_size = STACK;
    stack.ss_sp = malloc(STACK);
    if (stack.ss_sp) sigaltstack(&stack, NULL);
  }
#endif
  struct sigaction action = {0};
  action.sa_sigaction = mark;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int index = 0; index < HANDLED; index++) sigaction(handled[index], &action, &before[index]);
  return 0;
}
#endif
