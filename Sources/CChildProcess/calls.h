#pragma once

/// Forbids the calling process, also after exec, to start processes, create sockets and access other processes
/// (seccomp). Requires PR_SET_NO_NEW_PRIVS. Also succeeds on kernels without seccomp filters. Takes no lock, so it is
/// safe between fork and exec.
int plumb_confine_calls(void);
