"""Requests in files for post.lua. They are created once and kept in .build/bench, because many take a while."""
import datetime
import hashlib
import pathlib
import random

import bodies
import formats

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEPT = ROOT / ".build/bench"
JSON = "application/json"
ENVELOPE = "application/x-sentry-envelope"
TODAY = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)


def day(before):
    return (TODAY - datetime.timedelta(days=before)).strftime("%Y-%m-%d")


YESTERDAY = day(1)
NANOSECONDS = int(TODAY.timestamp()) * 1_000_000_000 - 43_200_000_000_000
FLEET_DAYS = [day(before) for before in range(1, 29)]


def request(kind, seed, origin):
    """Path, Content-Type and body of a request."""
    make = {
        "metrickit": lambda: ("/v1/payloads", JSON, bodies.metrics(seed, origin)),
        "metrickit-crash": lambda: ("/v1/payloads", JSON, bodies.crash(seed, origin)),
        "sentry-crash": lambda: ("/api/1/envelope/", ENVELOPE, formats.sentry_crash(seed, origin)),
        "sentry-session": lambda: ("/api/1/envelope/", ENVELOPE, formats.sentry_session(seed, origin)),
        "native": lambda: ("/v1/payloads", JSON, formats.native(seed, origin)),
        "otlp-json": lambda: ("/v1/metrics", JSON, formats.otlp_json(seed, origin, NANOSECONDS)),
        "otlp-protobuf": lambda: (
            "/v1/metrics", "application/x-protobuf", formats.otlp_protobuf(seed, origin, NANOSECONDS)),
        "crash-report": lambda: ("/v1/payloads", "text/plain", formats.crash_report(seed, origin)),
        "session-burst": lambda: ("/v1/payloads", JSON, formats.session_burst(seed, origin)),
        "labels": lambda: ("/v1/payloads", JSON, formats.labels(seed, origin)),
    }
    return make[kind]()


def plain(kind, count=200):
    return [request(kind, seed, bodies.plain(seed, YESTERDAY)) for seed in range(count)]


def fleet(count):
    return [request("metrickit", seed, bodies.fleet(seed, FLEET_DAYS)) for seed in range(count)]


def mixed_formats(count=1000):
    """60 % MetricKit, 25 % sessions, 10 % OTLP, 5 % crashes, in a fixed order that looks random."""
    shares = {
        "metrickit": 0.60, "sentry-session": 0.15, "native": 0.10, "otlp-json": 0.05, "otlp-protobuf": 0.05,
        "metrickit-crash": 0.03, "sentry-crash": 0.02}
    kinds = [kind for kind, share in shares.items() for _ in range(round(share * count))]
    random.Random(1).shuffle(kinds)
    return [request(kind, seed, bodies.plain(seed, YESTERDAY)) for seed, kind in enumerate(kinds)]


def series(cells, payloads, before):
    """MetricKit payloads of the given combinations of release and model on one day, `payloads` of each in turn."""
    for turn in range(payloads):
        for cell in random.Random(turn).sample(range(cells), cells):
            origin = bodies.Origin(
                bodies.MODELS[cell // 5 % 60], bodies.SYSTEMS[0], 1 + cell % 5 + 5 * (cell // 300), day(before))
            yield request("metrickit", 1_000 * cell + 28 * turn + before, origin)


def file(name, make):
    """The file of requests with this name. It is created unless the same generators created it today."""
    sources = "".join((pathlib.Path(__file__).parent / f"{module}.py").read_text()
                      for module in ("bodies", "formats", "traffic"))
    digest = hashlib.sha256((sources + YESTERDAY).encode()).hexdigest()[:12]
    path = KEPT / f"{name}-{digest}"
    if not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        for old in KEPT.glob(f"{name}-????????????"):
            old.unlink()
        partial = path.with_suffix(".partial")
        with partial.open("wb") as out:
            for address, kind, body in make():
                out.write(f"{address} {kind} {len(body)}\n".encode() + body + b"\n")
        partial.rename(path)
    return path


def unpack(path, folder):
    """The bodies of a file, each in its own file, for `plumb import`."""
    folder.mkdir()
    with path.open("rb") as packed:
        for number, head in enumerate(iter(packed.readline, b"")):
            (folder / f"{number:06}").write_bytes(packed.read(int(head.split()[2])))
            packed.readline()
