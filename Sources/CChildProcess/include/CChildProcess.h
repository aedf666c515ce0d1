#pragma once

#include <stdint.h>

/* Starts sandboxed child processes. posix_spawn cannot set limits or a sandbox; both are set between fork and exec,
   where only C may run, not Swift. */

/// The limits of a child process.

typedef struct {
  /// The limit of address space, in bytes.
  uint64_t memory;
  /// The limit of processor time over its whole lifetime, in seconds.
  uint64_t processor_seconds;
  uint64_t open_files;
  int niceness;
  /// The Landlock version for the sandbox (`plumb_landlock_version`); 0 for no Landlock sandbox.
  int landlock_version;
} plumb_child_limits;

/// The version of Landlock, a kernel sandbox, that this kernel supports; 0 if it has none or it is disabled.
int plumb_landlock_version(void);

/// Starts `program` in a new process group with default signal handling. Its standard input and output are the other
/// end of `*socket`, and its standard error is discarded. It inherits no other descriptor, and its working directory is
/// `folder`. It cannot write files, start processes, create sockets, or signal and trace other processes. With a
/// `landlock_version` it can open only the folders and files in `readable` (terminated by NULL; missing ones are
/// skipped). Returns 0 or an errno. The child's exit status is 127 if the program cannot be executed, and 126 if it
/// cannot be sandboxed as requested.
int plumb_child_start(
    const char *program, const char *folder, char *const arguments[], char *const environment[],
    const char *const readable[],
    plumb_child_limits limits, int32_t *child, int *socket);

/// Kills the child's process group and waits for the child. Returns its status as waitpid does.
int plumb_child_kill(int32_t child);

/// The resident memory of the child, in bytes; 0 if unknown.
uint64_t plumb_child_memory(int32_t child);
