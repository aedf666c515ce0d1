"""Sends counters, histograms and levels with OpenTelemetry's Python SDK, and prints what it recorded.

usage: otlp_metrics.py URL KEY delta|cumulative explicit|exponential
"""

import json
import math
import random
import sys

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import (
    ExplicitBucketHistogramAggregation,
    ExponentialBucketHistogramAggregation,
    View,
)
from opentelemetry.sdk.resources import Resource

url, key, temporality, shape = sys.argv[1:5]
chosen = AggregationTemporality.DELTA if temporality == "delta" else AggregationTemporality.CUMULATIVE


def view(name, factor):
    """How a histogram is collected: bounds of 0 to 5 seconds in its unit, or buckets that follow its values."""
    bounds = [0, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5]
    return View(
        instrument_name=name,
        aggregation=ExponentialBucketHistogramAggregation()
        if shape == "exponential"
        else ExplicitBucketHistogramAggregation(boundaries=[bound * 1000 / factor for bound in bounds]),
    )


exporter = OTLPMetricExporter(
    endpoint=url + "/v1/metrics",
    headers={"authorization": "Bearer " + key},
    preferred_temporality={Counter: chosen, Histogram: chosen},
)
reader = PeriodicExportingMetricReader(exporter, export_interval_millis=3_600_000)
resource = Resource.create(
    {
        "service.name": "com.example.shop",
        "service.version": "4.2.0",
        "device.model.identifier": "iPhone15,2",
        "os.name": "iOS",
        "os.version": "17.4.1",
    }
)
provider = MeterProvider(
    resource=resource, metric_readers=[reader], views=[view("launch.first_draw", 1), view("screen.load", 1000)]
)
meter = provider.get_meter("shop")
random.seed(20261121)

# In the metric's own unit, and in another one, which Plumb has to convert.
histograms = {
    "launch.first_draw": (meter.create_histogram("launch.first_draw", unit="ms"), 1),
    "screen.load": (meter.create_histogram("screen.load", unit="s"), 1000),
}
counter = meter.create_counter("time.foreground", unit="s")
level = meter.create_up_down_counter("queue.size", unit="{item}")
recorded = {name: [] for name in histograms}
seconds = 0
for batch in range(3):
    # Later batches spread wider, so that exponential histograms grow coarser between two exports.
    for _ in range(400):
        value = math.exp(random.gauss(6, 0.3 + 0.6 * batch))
        for name, (histogram, factor) in histograms.items():
            written = value / factor
            recorded[name].append(written * factor)
            histogram.record(written, {"screen.name": "Cart" if value < 400 else "Home"})
        counter.add(2, {"view": "a"})
        counter.add(1, {"view": "b"})
        seconds += 3
    level.add(1)
    if batch < 2:
        provider.force_flush()
# Sends what is left; a second collection inside is a repeat for cumulative streams.
provider.shutdown()

report = {"time.foreground": seconds}
for name, values in recorded.items():
    values.sort()
    report[name] = {
        "n": len(values),
        "sum": math.fsum(values),
        "min": values[0],
        "max": values[-1],
        **{"p%d" % p: values[math.ceil(p / 100 * len(values)) - 1] for p in (50, 90, 95, 99)},
    }
print(json.dumps(report))
