"""Servers under load, each in its own process: Plumb, and the bare server for comparison."""
import contextlib
import fcntl
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLUMB = os.environ.get("PLUMB", str(ROOT / ".build/release/plumb"))
TICKS = os.sysconf("SC_CLK_TCK")
APP = "com.example.shop"


class Process:
    """A server, with the kernel's information about it."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
        self.pid = self.process.pid

    def cpu(self):
        """Seconds of processor time so far."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def peak(self):
        """The largest resident set so far, in MB."""
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024 / 1e6

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Bare(Process):
    """libmicrohttpd that reads a body and discards it. A GET is answered with `size` bytes."""
    program = None

    def __init__(self, size=2):
        if not Bare.program:
            Bare.program = tempfile.mkdtemp(prefix="plumb-bare-") + "/bare"
            subprocess.run(["cc", "-O2", HERE / "bare.c", "-o", Bare.program, "-lmicrohttpd"], check=True)
        self.port = free_port()
        super().__init__([Bare.program, str(self.port), str(size)])
        self.url = f"http://127.0.0.1:{self.port}"
        wait_for_port(self.port)


class Plumb(Process):
    """A server on its own data folder."""

    def __init__(self, data, cgroup=None, **settings):
        """`settings`: environment variables without `PLUMB_`, in lower case."""
        self.port, self.data = free_port(), data
        self.log = (data.parent / "log").open("a")
        enter = cgroup.enter if cgroup else None
        super().__init__(
            [data.program, "serve", "--data", data.path, "--open", "--listen", f"127.0.0.1:{self.port}"], stderr=self.log,
            preexec_fn=enter, env={**os.environ, **{f"PLUMB_{key.upper()}": value for key, value in settings.items()}})
        self.url = f"http://127.0.0.1:{self.port}"
        deadline = time.monotonic() + 300
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                if self.get("/readyz")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.02)
        raise SystemExit(f"The server did not start: {(data.parent / 'log').read_text()[-2000:]}")

    def get(self, path):
        """Status, body and milliseconds of a page, over a new connection."""
        begin = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request("GET", path, headers={"Host": "localhost"})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body, (time.perf_counter() - begin) * 1000

    def fresh(self, paths):
        """The median time of pages without any of their rows in memory, in milliseconds."""
        return self.median(self.forget_rows, paths)

    def after_flushes(self, path, requests, key):
        """The median time of a page that is requested after each of several requests was digested."""
        return self.median(lambda: None, (path for request in requests if self.digested(request, key)))

    def median(self, before, paths):
        times = []
        for path in paths:
            before()
            status, body, milliseconds = self.get(path)
            if status != 200:
                raise SystemExit(f"{path}: {status} {body[:300]!r}")
            times.append(milliseconds)
        return statistics.median(times)

    def digested(self, request, key):
        path, kind, body = request
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", path, body, {"Content-Type": kind, "Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        if answer.status != 202:
            raise SystemExit(f"{path}: {answer.status} {answer.read(300)!r}")
        connection.close()
        self.catch_up()
        return True

    def forget_rows(self):
        """Makes the server read all rows again, as if any could have changed."""
        with contextlib.closing(sqlite3.connect(self.data.path / "plumb.db", timeout=10)) as database, database:
            if database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'row_version'").fetchone():
                database.execute("UPDATE row_version SET newest = newest + 1, all_days = newest + 1")

    def settle(self):
        """Waits until the server has done its first checks and used no processor time for 2.5 s."""
        still, before = 0, self.cpu()
        while still < 5:
            time.sleep(0.5)
            now = self.cpu()
            still, before = (still + 1 if now - before < 0.02 else 0), now

    def lag(self):
        found = re.search(rb"^plumb_digest_lag_records (\d+)", self.get("/metrics")[1], re.M)
        return int(found[1]) if found else None

    def catch_up(self, most=1200):
        """Waits until everything is digested and returns the seconds."""
        begin = time.monotonic()
        while time.monotonic() - begin < most:
            try:
                if self.lag() == 0:
                    return time.monotonic() - begin
            except OSError:
                pass
            if self.process.poll() is not None:
                raise ServerEnded
            time.sleep(0.05)
        raise SystemExit(f"Not current after {most} s.")


class ServerEnded(Exception):
    """The server was ended by another process, such as the kernel."""


class DataFolder:
    """A data folder with apps, and the program that uses it. It is deleted at the end."""

    def __init__(self, apps=(APP,), program=None):
        self.program = program or PLUMB
        self.parent = pathlib.Path(tempfile.mkdtemp(prefix="plumb-bench-"))
        self.path = self.parent / "data"
        self.keys = [self.add(app) for app in apps]

    def add(self, app):
        added = self.run("app", "add", app, "--format", "json")
        return json.loads(added)["key"]

    def run(self, *arguments):
        return subprocess.run(
            [self.program, *arguments, "--data", self.path], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True).stdout

    def imported(self, folder):
        """Imports a folder of bodies. Returns the seconds and the largest resident set in MB."""
        begin = time.monotonic()
        process = subprocess.Popen(
            [self.program, "import", folder, "--app", APP, "--data", self.path], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"plumb import ended with {process.returncode}")
        return time.monotonic() - begin, usage.ru_maxrss * 1024 / 1e6

    def digest_lock(self):
        """Holds the digest lease of this folder, so that a server's records wait in the journal."""
        lock = open(self.path / "digest.lock", "w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        return lock

    def size(self, database):
        return sum(path.stat().st_size for path in self.path.glob(f"{database}.db*"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.parent, ignore_errors=True)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_port(port, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"Nothing listens on port {port}.")
