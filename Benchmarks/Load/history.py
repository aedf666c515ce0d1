"""An app with a long history, as native documents.

Each release lives four times as long as the interval between releases. On each day, each live release and each
model give one document: sessions of a few people, launches as a histogram, screens and memory as measurements."""
import datetime
import itertools
import json
import random

from traffic import TODAY

APP = "com.example.shop"
BOUNDS = list(range(200, 3000, 100))


def documents(days, releases, models):
    dice = random.Random(7)
    every = days / releases
    for day in range(days):
        start = TODAY - datetime.timedelta(days=days - day)
        living = [number for number in range(releases) if 0 <= day - number * every < 4 * every]
        for number, model in itertools.product(living, range(models)):
            at = (start + datetime.timedelta(minutes=dice.randrange(1440))).strftime("%Y-%m-%dT%H:%M:%SZ")
            worse = 1 + 0.01 * (number % 7)
            yield {
                "app": {"bundle_id": APP, "version": f"4.{number}.0", "build": str(1000 + number)},
                "device": {"model": f"iPhone{10 + model // 5},{1 + model % 5}", "os": f"iOS {15 + model % 12}.1"},
                "environment": "production", "installation": f"person-{number}-{model}-{dice.randrange(40)}",
                "sessions": [
                    {"id": f"{day}-{number}-{model}-{turn}", "started": at,
                     "status": "crashed" if dice.random() < 0.004 * worse else "exited"} for turn in range(3)],
                "histograms": [
                    {"metric": "launch.first_draw", "unit": "ms", "bounds": BOUNDS, "at": at,
                     "counts": [dice.randrange(3) for _ in range(len(BOUNDS) + 1)]}],
                "measurements": [
                    {"metric": "screen.load", "value": 300 * worse * dice.lognormvariate(0, 0.5), "unit": "ms",
                     "label": f"Screen{dice.randrange(20)}", "at": at} for _ in range(3)]
                + [{"metric": "memory.peak", "value": dice.lognormvariate(5, 0.3), "unit": "MB", "at": at}],
            }


def write(folder, days, releases, models):
    """Files of 2,000 documents each, one per line."""
    folder.mkdir()
    lines = (json.dumps(document) + "\n" for document in documents(days, releases, models))
    for number in itertools.count():
        part = list(itertools.islice(lines, 2000))
        if not part:
            return
        (folder / f"{number:04}.ndjson").write_text("".join(part))
