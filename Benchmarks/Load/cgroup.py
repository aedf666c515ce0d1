"""A kernel limit on the memory of a process."""
import os
import pathlib

V2 = pathlib.Path("/sys/fs/cgroup")
V1 = V2 / "memory"


class MemoryLimit:
    """A cgroup for the processes that enter it. `is_writable` tells whether it can be created."""

    def __init__(self, size):
        parent, self.limit = (V1, "memory.limit_in_bytes") if V1.is_dir() else (V2, "memory.max")
        self.group = parent / f"plumb-bench-{os.getpid()}"
        self.is_writable = False
        try:
            self.group.mkdir()
            (self.group / self.limit).write_text(str(size))
            self.is_writable = True
        except OSError:
            pass

    def enter(self):
        """Runs in the child process before it becomes the server."""
        (self.group / "cgroup.procs").write_text(str(os.getpid()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.group.rmdir()
        except OSError:
            pass
