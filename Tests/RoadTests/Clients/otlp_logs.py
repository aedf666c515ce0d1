"""Sends, with OpenTelemetry's Python SDK, the events that the Swift SDK writes for the sessions of an app.

usage: otlp_logs.py URL KEY TIMES

Everything is exported TIMES times, as by a client that does not see the answers.
"""

import sys
import time

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

url, key, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
now = time.time_ns() - 600 * 10**9


def provider(version):
    resource = Resource(
        {
            "service.name": "Shop",
            "service.version": version,
            "device.model.identifier": "iPhone15,2",
            "device.id": "5A1C0B52-7D6E-4F0B-9B1A-0D6C1E2F3A4B",
            "os.type": "darwin",
            "os.name": "iOS",
            "os.version": "17.4.1",
        }
    )
    made = LoggerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPLogExporter(endpoint=url + "/v1/logs", headers={"authorization": "Bearer " + key})
    made.add_log_record_processor(BatchLogRecordProcessor(exporter))
    return made


def event(logger, name, seconds, attributes):
    logger.emit(
        LogRecord(timestamp=now + seconds * 10**9, event_name=name, attributes=attributes, severity_number=None)
    )


for _ in range(times):
    # Four sessions of one version: a start, events of the session, and an end. The SDK names the session before.
    old = provider("4.2.0 (1234)")
    logger = old.get_logger("io.opentelemetry.sessions")
    for number in range(4):
        session = {"session.id": "session-%d" % number}
        if number:
            session["session.previous_id"] = "session-%d" % (number - 1)
        event(logger, "session.start", number * 60, session)
        event(logger, "app.screen.click", number * 60 + 1, {**session, "app.screen.coordinate.x": 3})
        event(
            logger,
            "app.jank",
            number * 60 + 2,
            {**session, "app.jank.frame_count": 5, "app.jank.threshold": 0.016, "app.jank.period": 2.0},
        )
        if number < 3:
            event(logger, "session.end", number * 60 + 30, session)
    old.shutdown()
    # The crash of the last one is reported by the next version.
    new = provider("4.3.0 (1300)")
    event(
        new.get_logger("crashes"),
        "app.crash",
        200,
        {
            "session.id": "session-3",
            "service.version": "4.2.0 (1234)",
            "os.name": "iOS",
            "os.version": "17.4.1",
            "exception.type": "EXC_BAD_ACCESS",
            "app.crash.id": "083d3d2d-9a0e-47f8-be3d-bc3c5538ba38",
        },
    )
    new.shutdown()
