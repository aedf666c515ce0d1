"""Sends transactions and metrics with the real Sentry client, and prints what it recorded.

usage: sentry_measurements.py DSN
"""

import json
import sys
import warnings

import sentry_sdk

warnings.simplefilter("ignore", DeprecationWarning)


def as_cocoa(event, _hint):
    """What the client for Apple would say of itself and the phone."""
    event["sdk"] = {"name": "sentry.cocoa", "version": "9.26.0"}
    event["contexts"]["device"] = {"model": "iPhone15,2"}
    event["contexts"]["os"] = {"name": "iOS", "version": "17.4.1"}
    event["contexts"]["app"] = {"start_type": "cold"}
    return event


sentry_sdk.init(
    dsn=sys.argv[1],
    release="com.example.shop@4.2.0+1234",
    environment="production",
    traces_sample_rate=1.0,
    auto_session_tracking=False,
    default_integrations=False,
    before_send_transaction=as_cocoa,
)
starts = []
for number in range(40):
    with sentry_sdk.start_transaction(op="ui.load", name="Shop.HomeViewController", source="component") as transaction:
        start = 300.0 + 25 * number
        starts.append(start)
        transaction.set_measurement("app_start_cold", start, "millisecond")
        transaction.set_measurement("time_to_initial_display", start + 20, "millisecond")
        transaction.set_measurement("frames_total", 120)
        transaction.set_measurement("frames_slow", 6)
        transaction.set_measurement("frames_frozen", 0)
        transaction.set_measurement("basket", 2.5, "kilobyte")
for number in range(10):
    sentry_sdk.metrics.count("checkout.failed", 2)
    sentry_sdk.metrics.gauge("queue.depth", number)
    sentry_sdk.metrics.distribution(
        "screen.load", 0.1 * (number + 1), unit="second", attributes={"screen": "Cart"}
    )
sentry_sdk.flush()
starts.sort()
print(json.dumps({"launches": len(starts), "p90": starts[35], "min": starts[0], "max": starts[-1]}))
