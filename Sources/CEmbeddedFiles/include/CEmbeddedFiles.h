#ifndef PLUMB_EMBEDDED_FILES_H
#define PLUMB_EMBEDDED_FILES_H

#include <stddef.h>

/// A text file of the repository with its content at build time.
struct plumb_embedded_file {
  /// The path from the repository's root, such as `Public/plumb.css`.
  const char *path;
  /// The content, followed by a zero byte.
  const unsigned char *bytes;
};

/// All embedded files. Those of a folder are in the order in which they are used.
const struct plumb_embedded_file *plumb_embedded_files(size_t *count);

/// The zstd dictionary of the journal's records.
const unsigned char *plumb_record_dictionary(size_t *size);

#endif
