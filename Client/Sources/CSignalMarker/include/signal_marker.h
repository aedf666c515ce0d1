#ifndef SIGNAL_MARKER_H
#define SIGNAL_MARKER_H

/// Opens `path`, empties it, and installs handlers for the signals of a fault in the process: SIGABRT, SIGBUS, SIGFPE,
/// SIGILL, SIGSEGV, SIGSYS and SIGTRAP. A handler writes the signal's number and the time into the file. It then passes
/// the signal to the previous handler, so that other crash reporters and the OS's report still work. Returns 0 or the
/// value of `errno`. A second call only reopens the file.
int signal_marker_install(const char *path);

#endif
