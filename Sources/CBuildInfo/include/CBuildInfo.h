#pragma once

#include <stddef.h>

/// The commit of the build, as `deploy/stamp` wrote it into the binary; empty if the binary was not stamped.
const char *plumb_commit(void);

/// A library with its loaded version, or the version at compile time if the library does not report one.
typedef struct {
  const char *name;
  const char *version;
} plumb_library;

/// Writes up to `room` libraries to `to` and returns the number of all libraries.
size_t plumb_libraries(plumb_library *to, size_t room);
