"""The load generator: wrk with 64 connections on one thread."""
import itertools
import os
import pathlib
import re
import subprocess
from dataclasses import dataclass

POST = pathlib.Path(__file__).resolve().parent / "post.lua"
seeds = itertools.count(1)


@dataclass
class Load:
    rate: float
    count: int
    refused: int
    seconds: float


def post(url, requests, key="", seconds=None, limit=None):
    """Posts requests of a file for a time, or a number of them. Each call gives its requests other ids."""
    environment = {**os.environ, "REQUESTS": str(requests), "KEY": key, "SEED": str(next(seeds))}
    if limit:
        environment["LIMIT"] = str(limit)
    return run(["-s", str(POST), url], seconds or 600, environment)


def get(url, seconds):
    return run(["-H", "Host: localhost", url], seconds, os.environ)


def run(arguments, seconds, environment):
    done = subprocess.run(
        ["wrk", "-t1", "-c64", "--timeout", "60s", f"-d{seconds}s", *arguments], env=environment, capture_output=True,
        text=True)
    found = re.search(r"(\d+) requests in ([\d.]+)(us|ms|s|m|h)", done.stdout)
    if done.returncode != 0 or not found:
        raise SystemExit(f"wrk failed: {done.stdout}{done.stderr}")
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", done.stdout)
    taken = float(found[2]) * {"us": 1e-6, "ms": 0.001, "s": 1, "m": 60, "h": 3600}[found[3]]
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])
    return Load(rate, int(found[1]), int(refused[1]) if refused else 0, taken)
