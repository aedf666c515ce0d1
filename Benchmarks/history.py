"""Writes native documents of an app with a long history, one a line:
python3 history.py DAYS RELEASES MODELS > documents.ndjson

Every release lives four times as long as it takes the next one to come. Each day, each living release and each model give
one document: sessions of a few people, launches as a histogram, screens and memory as measurements."""
import datetime
import json
import random
import sys

days, releases, models = (int(word) for word in sys.argv[1:4])
dice = random.Random(7)
today = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
bounds = list(range(200, 3000, 100))
every = days / releases

for day in range(days):
    start = today - datetime.timedelta(days=days - day)
    living = [number for number in range(releases) if 0 <= day - number * every < 4 * every]
    for number in living:
        for model in range(models):
            at = (start + datetime.timedelta(minutes=dice.randrange(1440))).strftime("%Y-%m-%dT%H:%M:%SZ")
            worse = 1 + 0.01 * (number % 7)
            document = {
                "app": {"bundle_id": "com.example.history", "version": f"4.{number}.0", "build": str(1000 + number)},
                "device": {"model": f"iPhone{10 + model // 5},{1 + model % 5}", "os": f"iOS {15 + model % 12}.1"},
                "environment": "production", "installation": f"person-{number}-{model}-{dice.randrange(40)}",
                "sessions": [
                    {"id": f"{day}-{number}-{model}-{turn}", "started": at,
                     "status": "crashed" if dice.random() < 0.004 * worse else "exited"} for turn in range(3)],
                "histograms": [
                    {"metric": "launch.first_draw", "unit": "ms", "bounds": bounds, "at": at,
                     "counts": [dice.randrange(3) for _ in range(len(bounds) + 1)]}],
                "measurements": [
                    {"metric": "screen.load", "value": 300 * worse * dice.lognormvariate(0, 0.5), "unit": "ms",
                     "label": f"Screen{dice.randrange(20)}", "at": at} for _ in range(3)]
                + [{"metric": "memory.peak", "value": dice.lognormvariate(5, 0.3), "unit": "MB", "at": at}],
            }
            print(json.dumps(document))
