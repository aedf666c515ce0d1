"""The parts of a cluster on this machine: shards, servers and payloads."""
import json
import os
import pathlib
import subprocess
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLUMB = os.environ.get("PLUMB", str(ROOT / ".build/release/plumb"))
TICKS = os.sysconf("SC_CLK_TCK")
PORT = int(os.environ.get("SCALE_PORT", "18600"))
APP = "com.example.shop"


def cpu(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def get(url, token=None, timeout=600):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=timeout) as answer:
        return answer.read()


class Shards:
    """Two servers, each in its own process."""

    def __init__(self, folder):
        self.folder, self.ports = folder, [PORT + 1, PORT + 2]
        self.stores = [f"clickhouse://127.0.0.1:{port}/default" for port in self.ports]
        self.start()

    def start(self):
        self.pids = []
        for number, port in enumerate(self.ports):
            started = subprocess.run(
                [ROOT / "deploy/cluster/start-shard", f"{self.folder}/shard-{number}", str(port), str(port + 10),
                 *[str(other + 10) for other in self.ports]], check=True, capture_output=True, text=True)
            self.pids.append(int(started.stdout))

    def ask(self, port, statement):
        request = urllib.request.Request(f"http://127.0.0.1:{port}/", data=statement.encode())
        with urllib.request.urlopen(request, timeout=3600) as answer:
            return answer.read().decode().strip()

    def rows(self):
        sizes = [self.ask(port, "SELECT sum(rows), sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'facts'")
                 .split("\t") for port in self.ports]
        return sum(int(rows) for rows, _ in sizes), sum(int(size) for _, size in sizes)

    def kill(self):
        for pid in self.pids:
            subprocess.run(["kill", "-9", str(pid)], check=False)
        time.sleep(1)

    def stop(self):
        for pid in self.pids:
            subprocess.run(["kill", str(pid)], check=False)
        time.sleep(2)


class Server:
    def __init__(self, arguments, port, environment=None):
        self.port = port
        self.process = subprocess.Popen(
            [PLUMB, *arguments, "--listen", f"127.0.0.1:{port}"], stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(environment or {})})
        threading.Thread(target=lambda: [None for _ in self.process.stderr], daemon=True).start()
        self.url = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                get(self.url + "/readyz")
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit(f"{arguments} does not answer")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def add_app(data):
    """The app's key."""
    added = subprocess.run(
        [PLUMB, "app", "add", APP, "--data", data, "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(added.stdout)["key"]


def add_token(data, name, *flags):
    return subprocess.run(
        [PLUMB, "token", "add", name, *flags, "--data", data], check=True, capture_output=True, text=True).stdout.strip()


METRICS = ["launch.first_draw", "launch.resume", "hang.duration", "screen.load", "network.duration"]


def body(number):
    """A day's payload of one of 2,000 combinations of release, OS version and model."""
    return json.dumps({
        "plumb": 1, "app": {"version": f"4.{number % 10}.0", "build": "1"},
        "os": {"name": "iOS", "version": f"18.{number // 10 % 10}"}, "device": {"model": f"iPhone16,{number // 100 % 20}"},
        "installation": f"user-{number}",
        "sessions": [{"id": f"s-{number}", "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "status": "exited"}],
        "measurements": [{"metric": name, "value": 100 + number % 900, "unit": "ms"} for name in METRICS],
    })
