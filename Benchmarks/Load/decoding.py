"""The cost of turning a payload into reports, compared with simdjson alone."""
import subprocess
import tempfile

import bodies
from figures import Figure, Row
from servers import ROOT
from traffic import YESTERDAY


def measure(name, options):
    program = ROOT / ".build/release/decoding-benchmark"
    if not program.exists():
        return []
    with tempfile.NamedTemporaryFile(suffix=".json") as body:
        body.write(bodies.metrics(0, bodies.plain(0, YESTERDAY)))
        body.flush()
        figures = subprocess.run([program, body.name], check=True, capture_output=True, text=True).stdout.strip()
    return [Row(name, "MetricKit payload into reports", [Figure("loops", text=figures)])]
