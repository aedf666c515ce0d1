"""Bugsink for comparison with Plumb, set up on one server as in its own guide: SQLite, gunicorn, a worker for the
queue."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import wrk
from servers import ROOT, free_port, wait_for_port

VERSION = "2.6.1"
PROGRAMS = ROOT / ".build/bugsink/bin"
# Its quota of a thousand events in five minutes would refuse nearly everything.
SETTINGS = """
import logging
for period in ("5_MINUTES", "HOUR", "MONTH"):
    BUGSINK[f"MAX_EVENTS_PER_{period}"] = BUGSINK[f"MAX_EVENTS_PER_PROJECT_PER_{period}"] = 1_000_000_000
logging.disable(logging.CRITICAL)
"""
PROJECT = """
from projects.models import Project
print(Project.objects.create(name="shop", slug="shop").sentry_key.hex)
"""


def installed():
    """Whether Bugsink is installed or pip could install it."""
    steps = [
        [sys.executable, "-m", "venv", str(PROGRAMS.parent)],
        [str(PROGRAMS / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", f"bugsink=={VERSION}"]]
    if not (PROGRAMS / "bugsink-manage").exists():
        for step in steps:
            if subprocess.run(step, capture_output=True).returncode != 0:
                return False
    return True


class Bugsink:
    """A running Bugsink with one project."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bugsink-"))
        self.environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "bugsink_conf", "PYTHONPATH": str(self.folder)}
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.run(
            "bugsink-create-conf", "--template=singleserver", "--host=127.0.0.1", f"--port={self.port}",
            f"--base-dir={self.folder}")
        with (self.folder / "bugsink_conf.py").open("a") as settings:
            settings.write(SETTINGS)
        self.run("bugsink-manage", "migrate")
        self.run("bugsink-manage", "migrate", "--database=snappea")
        self.key = self.run("bugsink-manage", "shell", "-c", PROJECT).split()[-1]
        # As many workers as Bugsink's own image starts.
        workers = min(os.cpu_count(), 4)
        self.processes = [
            self.start("bugsink-runsnappea"),
            self.start("gunicorn", f"--bind=127.0.0.1:{self.port}", f"--workers={workers}", "bugsink.wsgi")]
        wait_for_port(self.port)
        # The workers load their code at their first request.
        wrk.get(self.url + "/accounts/login/", 3)

    def run(self, program, *arguments):
        return subprocess.run(
            [PROGRAMS / program, *arguments], cwd=self.folder, env=self.environment, check=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True).stdout

    def start(self, program, *arguments):
        return subprocess.Popen(
            [PROGRAMS / program, *arguments], cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def post(self, requests, seconds):
        """The events per second that it accepts. Later digestion is not measured."""
        load = wrk.post(self.url, requests, self.key, seconds)
        if load.refused:
            raise SystemExit(f"Bugsink refused {load.refused} of {load.count} events")
        return load.rate

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
