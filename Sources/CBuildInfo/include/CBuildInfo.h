#pragma once

#include <stddef.h>

/// The commit that the binary was built from, as `deploy/stamp` wrote it into the finished binary; empty if it did not.
const char *plumb_commit(void);

/// A library and the version that is loaded, or that it was compiled with if it cannot tell.
typedef struct {
  const char *name;
  const char *version;
} plumb_library;

/// Writes up to `room` libraries to `to` and returns how many there are.
size_t plumb_libraries(plumb_library *to, size_t room);
