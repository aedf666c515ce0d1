// clone flags, close_range and O_PATH are extensions of POSIX.
#define _GNU_SOURCE
#include "CChildProcess.h"
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_READABLE = 128, CANNOT_CONFINE = 126, CANNOT_RUN = 127 };

static const uint64_t READING = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

/// `struct landlock_ruleset_attr` as of Landlock's sixth version: Debian 12's headers have only its first member. An
/// older kernel accepts the longer structure if the members it does not know are zero.
struct ruleset_attributes {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
  uint64_t scoped;
};

/// The rules that forbid everything a version can forbid.
static struct ruleset_attributes everything(int version) {
  // Bits 0 to 12 belong to the first version. Later ones added linking (2), truncating (3) and ioctl on devices (5).
  int rights = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  return (struct ruleset_attributes){
      .handled_access_fs = (1ull << rights) - 1,
      // Binding and connecting TCP sockets.
      .handled_access_net = version >= 4 ? 3 : 0,
      // Abstract Unix sockets, and signals to processes outside.
      .scoped = version >= 6 ? 3 : 0,
  };
}

int plumb_landlock_version(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : (int)version;
}

/// Forbids files outside `readable`, an array of open paths. Returns false if the sandbox could not be set up.
static int confine_files(const int readable[], int count, int version) {
  struct ruleset_attributes rules = everything(version);
  int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
  if (ruleset < 0) return 0;
  for (int i = 0; i < count; i++) {
    struct landlock_path_beneath_attr path = {.allowed_access = READING, .parent_fd = readable[i]};
    // A file has no entries to list.
    if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &path, 0) != 0) {
      path.allowed_access &= ~(uint64_t)LANDLOCK_ACCESS_FS_READ_DIR;
      syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &path, 0);
    }
  }
  int isConfined = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return isConfined;
}

static void limit(__rlimit_resource_t resource, uint64_t most) {
  struct rlimit limit = {.rlim_cur = most, .rlim_max = most};
  setrlimit(resource, &limit);
}

/// Runs in the child after fork: nothing here may take a lock.
static _Noreturn void become(
    const char *program, const char *folder, char *const arguments[], char *const environment[],
    const int readable[], int count, plumb_child_limits limits, int socket) {
  setpgid(0, 0);
  setpriority(PRIO_PROCESS, 0, limits.niceness);
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < 32; number++) sigaction(number, &standard, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int nowhere = open("/dev/null", O_WRONLY);
  if (dup2(socket, 0) < 0 || dup2(socket, 1) < 0 || dup2(nowhere, 2) < 0 || chdir(folder) != 0) {
    _exit(CANNOT_RUN);
  }
  // If memory runs out, the kernel should kill the child rather than the server.
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    if (write(score, "1000", 4) < 0) errno = 0;
    close(score);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(CANNOT_CONFINE);
  if (limits.landlock_version > 0 && !confine_files(readable, count, limits.landlock_version)) _exit(CANNOT_CONFINE);
  syscall(SYS_close_range, 3u, ~0u, 0u);
  limit(RLIMIT_AS, limits.memory);
  limit(RLIMIT_CPU, limits.processor_seconds);
  limit(RLIMIT_NOFILE, limits.open_files);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  // It forbids none of the calls above, and only execve follows.
  if (!plumb_confine_calls()) _exit(CANNOT_CONFINE);
  execve(program, arguments, environment);
  _exit(CANNOT_RUN);
}

int plumb_child_start(
    const char *program, const char *folder, char *const arguments[], char *const environment[],
    const char *const readable[],
    plumb_child_limits limits, int32_t *child, int *socket) {
  int ends[2];
  // A socket instead of pipes: a write to it sends no signal if the child has ended.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  int paths[MOST_READABLE];
  int count = 0;
  for (int i = 0; readable[i] && count < MOST_READABLE; i++) {
    int path = open(readable[i], O_PATH | O_CLOEXEC);
    if (path >= 0) paths[count++] = path;
  }
  pid_t made = fork();
  if (made == 0) become(program, folder, arguments, environment, paths, count, limits, ends[1]);
  int failure = made < 0 ? errno : 0;
  for (int i = 0; i < count; i++) close(paths[i]);
  close(ends[1]);
  if (failure) {
    close(ends[0]);
    return failure;
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  *child = made;
  *socket = ends[0];
  return 0;
}

int plumb_child_kill(int32_t child) {
  // The process group exists once the child has created it; before that, only the child itself can be killed.
  if (kill(-child, SIGKILL) != 0) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

uint64_t plumb_child_memory(int32_t child) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/statm", (int)child);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  unsigned long long total = 0, resident = 0;
  int read = fscanf(file, "%llu %llu", &total, &resident);
  fclose(file);
  return read == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
