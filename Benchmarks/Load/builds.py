"""The time of `make release` when nothing changed, alone and after another product was built."""
import subprocess
import time

from figures import Figure, Row
from servers import ROOT


def make(*goals):
    begin = time.monotonic()
    subprocess.run(["make", *goals], cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def measure(name, options):
    # The first call may have work to do.
    make("release")
    times = {"again": make("release")}
    if not options.quick:
        subprocess.run(
            ["swift", "build", "--explicit-target-dependency-import-check", "error"], cwd=ROOT, check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times["after a debug build"] = make("release")
    return [Row(name, "make release with nothing to do", [
        Figure(when.replace(" ", "-"), seconds, "s", 1, f"{{}} s {when}", most=5) for when, seconds in times.items()])]
