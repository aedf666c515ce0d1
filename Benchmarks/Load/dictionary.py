#!/usr/bin/env python3
"""Trains the dictionary that compresses the journal's records: dictionary.py OUT [BYTES]

Sends invented payloads of every format one by one, so that each is one batch, and passes the journal's records
to `zstd --train`. MetricKit's histograms, sections and signposts vary, so that the dictionary learns the form
of records and not one app's values. A dictionary that was ever used stays. A new one gets a new number in
`RecordCompression`. Needs zstd."""
import http.client
import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

import bodies
import traffic
from servers import ROOT, DataFolder, Plumb

IN_USE = ROOT / "Sources/SQLiteStore/Journal/records-1.dictionary"
WORDS = "checkout search feed image load decode sync login cart profile home detail upload video map chat".split()


def varied(dice, value):
    """A MetricKit document with other histograms, without some of its sections, and with signposts of other names."""
    if isinstance(value, list):
        return [varied(dice, part) for part in value if dice.random() < 0.8]
    if not isinstance(value, dict):
        return value
    if "histogramValue" in value:
        width = dice.choice([1, 5, 10, 20, 50, 100, 500])
        return bodies.histogram(dice, width * dice.randint(0, 80), width, dice.randint(1, 20))
    if "signpostName" in value:
        value = {**value, "signpostName": dice.choice(WORDS), "signpostCategory": dice.choice(WORDS)}
    kept = ("appVersion", "metaData", "timeStampBegin", "timeStampEnd")
    return {
        key: part if key in kept else varied(dice, part) for key, part in value.items()
        if key in kept or not isinstance(part, dict) or dice.random() < 0.85}


def requests():
    dice = random.Random(4)
    for seed in range(600):
        path, kind, body = traffic.request("metrickit", seed, bodies.fleet(seed, traffic.FLEET_DAYS))
        yield path, kind, json.dumps(varied(dice, json.loads(body))).encode()
    for kind in ("native", "sentry-session", "otlp-json", "otlp-protobuf"):
        for path, media, body in traffic.plain(kind, 150):
            yield path, media, body.replace(bodies.ID.encode(), f"{dice.getrandbits(128):032x}".encode())


def records(data):
    """The records in the journal, decompressed."""
    with sqlite3.connect(f"{data.path}/journal.db") as journal:
        for number, stored in journal.execute("SELECT dictionary, records FROM batch ORDER BY through"):
            if number == 0:
                yield stored
            else:
                yield subprocess.run(
                    ["zstd", "-d", "-c", "-q", "-D", IN_USE], input=stored, stdout=subprocess.PIPE, check=True).stdout


def main():
    out, size = sys.argv[1], int((sys.argv[2:] or ["8192"])[0])
    with DataFolder() as data, tempfile.TemporaryDirectory() as folder:
        with Plumb(data) as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            for path, kind, body in requests():
                connection.request("POST", path, body, {
                    "Content-Type": kind, "X-Plumb-Key": data.keys[0],
                    "X-Sentry-Auth": f"Sentry sentry_version=7, sentry_key={data.keys[0]}"})
                answer = connection.getresponse()
                answer.read()
                if answer.status not in (200, 202):
                    raise SystemExit(f"{path}: {answer.status}")
        count = 0
        for count, record in enumerate(records(data)):
            (pathlib.Path(folder) / f"{count:05}").write_bytes(record)
        subprocess.run(["zstd", "--train", "-r", folder, f"--maxdict={size}", "-o", out, "-f", "-q"], check=True)
        print(f"{out}: trained on {count + 1} records")


if __name__ == "__main__":
    main()
