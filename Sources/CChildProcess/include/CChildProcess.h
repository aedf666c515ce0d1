#pragma once

#include <stdint.h>

/* A child process that may do little: what posix_spawn cannot say (limits, a sandbox) is said between fork and exec,
   where only C may run. */

typedef struct {
  /// Bytes of address space.
  uint64_t memory;
  /// Seconds of processor time over its whole life.
  uint64_t processor_seconds;
  uint64_t open_files;
  int niceness;
  /// The version of Landlock that confines it (`plumb_landlock_version`); 0 to start it without.
  int landlock_version;
} plumb_child_limits;

/// The version of Landlock that this kernel offers; 0 when it has none or its operator has turned it off.
int plumb_landlock_version(void);

/// Starts `program` in a process group and with a clean signal state of its own. Its standard input and output are the
/// other end of `*socket`, its standard error leads nowhere; it inherits no other descriptor, works in `folder`, cannot
/// write a file, start a process, make a socket, or signal and trace another process. With a `landlock_version` it can
/// open nothing outside the folders and files of `readable` (ends with NULL; those that do not exist are skipped).
/// Returns 0, or the number of an error of the system. A program that cannot be run ends with status 127, one that cannot
/// be confined as asked with 126.
int plumb_child_start(
    const char *program, const char *folder, char *const arguments[], char *const environment[],
    const char *const readable[],
    plumb_child_limits limits, int32_t *child, int *socket);

/// Kills the whole group and waits for the child. Gives its status as waitpid does.
int plumb_child_kill(int32_t child);

/// Bytes the child holds in memory; 0 when it cannot be told.
uint64_t plumb_child_memory(int32_t child);
