#ifndef SIGNAL_MARKER_H
#define SIGNAL_MARKER_H

/// Opens `path`, empties it, and installs handlers for the signals that end a process by a fault of its own: SIGABRT,
/// SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS and SIGTRAP. A handler writes the signal's number and the time into the
/// file, then gives the signal to the handler that was there before, so that other crash reporters and the system's own
/// report still work. Returns 0, or the value of `errno`. A second call only opens the file anew.
int signal_marker_install(const char *path);

#endif
