"""The cost of a page for an app with every name and every combination of names that its limits allow."""
import datetime
import gzip
import http.client
import json
import random

from figures import Figure, Row, peak
from servers import APP, DataFolder, Plumb

RELEASES, SYSTEMS, DEVICES, ENVIRONMENTS, METRICS, LABELS = 500, 200, 1000, 20, 190, 200


def documents(count):
    """Native documents, each with another combination. Four of five are in production."""
    dice = random.Random(1)
    now = datetime.datetime.now(datetime.timezone.utc)
    for number in range(count):
        release, system, device = dice.randrange(RELEASES), dice.randrange(SYSTEMS), dice.randrange(DEVICES)
        environment = 0 if dice.random() < 0.8 else dice.randrange(ENVIRONMENTS)
        ago = datetime.timedelta(days=dice.randrange(27), hours=dice.randrange(1, 20))
        at = (now - ago).strftime("%Y-%m-%dT%H:%M:%SZ")
        measurements = [
            {"metric": metric, "value": dice.randrange(50, 4000), "unit": unit, "at": at}
            for metric, unit in (("launch.first_draw", "ms"), ("memory.peak", "MB"))]
        measurements.append({
            "metric": f"own.metric{dice.randrange(METRICS)}", "value": dice.randrange(100), "unit": "ms", "at": at,
            "label": f"Label{dice.randrange(LABELS)}"})
        document = {
            "app": {"bundle_id": APP, "version": f"{release // 50 + 1}.{release % 50}", "build": str(release)},
            "device": {
                "model": f"iPhone{10 + device // 40},{device % 40 + 1}", "os": f"iOS {15 + system // 20}.{system % 20}"},
            "environment": "production" if environment == 0 else f"environment-{environment}",
            "installation": f"person-{dice.randrange(50_000)}",
            "sessions": [{
                "id": f"session-{number}", "started": at, "status": "crashed" if number % 30 == 0 else "exited",
                "seq": 1, "duration": 60}],
            "measurements": measurements}
        if number % 5 == 0:
            frame = {
                "binary": "Shop", "uuid": f"{number % 20_000:032x}", "offset": 4096 + 16 * (number % 20_000),
                "address": 4294968576}
            document["crashes"] = [{
                "at": at, "session": f"session-{number}", "exception": "EXC_BAD_ACCESS", "signal": 11,
                "threads": [{"crashed": True, "frames": [frame]}]}]
        yield document


def fill(server, key, count):
    rest = documents(count)
    while part := [document for document, _ in zip(rest, range(2500))]:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request(
            "POST", "/v1/payloads", gzip.compress(json.dumps(part).encode(), 1),
            {"X-Plumb-Key": key, "Content-Encoding": "gzip", "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 202:
            raise SystemExit(f"{answer.status} {text[:300]!r}")
        server.catch_up()


PAGES = [
    ("the app's page", ""), ("budgets", "/budgets"), ("all metrics", "/metrics"), ("groups", "/groups"),
    ("a metric of all releases", "/metrics/launch.first_draw?release=all"),
    ("a label", "/metrics/own.metric7?label=Label7"), ("a device", "?device=iPhone12%2C7"),
    ("groups of a device", "/groups?device=iPhone12%2C7")]


def measure(name, options):
    count = 10_000 if options.quick else 100_000
    with DataFolder() as data:
        with Plumb(data) as server:
            fill(server, data.keys[0], count)
            filled = server.peak()
        with Plumb(data) as server:
            server.get(f"/apps/{APP}")
            slowest = max((server.get(f"/apps/{APP}{path}{'&' if '?' in path else '?'}step=1")[2], title)
                          for title, path in PAGES)
            return [Row(name, f"an app at its limits, {count:,} combinations", [
                peak(max(filled, server.peak()), 200),
                Figure("slowest", slowest[0], "ms", text="slowest page {} ms", most=1000),
                Figure("page", text=slowest[1])])]
