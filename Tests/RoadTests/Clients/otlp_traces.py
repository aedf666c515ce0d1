"""Sends with OpenTelemetry's Python SDK what opentelemetry-swift makes of a MetricKit payload, beside the app's own spans.

usage: otlp_traces.py URL KEY
"""

import sys
import time

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

url, key = sys.argv[1:3]
resource = Resource.create(
    {"service.name": "com.example.shop", "service.version": "4.2.0", "os.name": "iOS", "os.version": "17.4.1"}
)
provider = TracerProvider(resource=resource)
provider.add_span_processor(
    BatchSpanProcessor(OTLPSpanExporter(endpoint=url + "/v1/traces", headers={"authorization": "Bearer " + key}))
)
tracer = provider.get_tracer("MetricKit", "0.0.1")
midnight = int(time.time()) // 86400 * 86400 - 86400
for number in range(20):
    span = tracer.start_span("MXMetricPayload", start_time=midnight * 10**9)
    span.set_attribute("metrickit.latest_application_version", "4.2.0")
    span.set_attribute("metrickit.includes_multiple_application_versions", False)
    span.set_attribute("metrickit.timestamp_begin", float(midnight))
    span.set_attribute("metrickit.metadata.app_build_version", "1234")
    span.set_attribute("metrickit.metadata.device_type", "iPhone15,2")
    span.set_attribute("metrickit.metadata.os_version", "iPhone OS 17.4.1 (21E236)")
    span.set_attribute("metrickit.memory.peak_memory_usage", 100e6 + number * 1e6)
    span.set_attribute("metrickit.app_exit.foreground.normal_app_exit_count", 9)
    span.set_attribute("metrickit.app_exit.foreground.app_watchdog_exit_count", 1)
    span.set_attribute("metrickit.app_launch.time_to_first_draw_average", 1.5)
    span.end(end_time=(midnight + 86400) * 10**9)
for number in range(3):
    tracer.start_span("GET /cart").end()
provider.shutdown()
