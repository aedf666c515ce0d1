#pragma once

/// Forbids the calling process, and whatever it becomes, to start processes, to make sockets and to reach into other
/// processes. It must have given up new privileges before. True also where the kernel has no such filters. Takes no lock.
int plumb_confine_calls(void);
