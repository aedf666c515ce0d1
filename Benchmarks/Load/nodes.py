"""The cost of a payload for an ingest node, and for the primary to which the node relays it."""
import contextlib
import os
import statistics
import subprocess
import time

import traffic
import wrk
from figures import Figure, Row, cpu, peak, rate
from servers import PLUMB, DataFolder, Plumb, Process, free_port, wait_for_port


class Node(Process):
    """An ingest node of a primary, with a folder next to the primary's."""

    def __init__(self, primary):
        token = primary.data.run("token", "add", "node", "--node").strip()
        self.port = free_port()
        super().__init__(
            [PLUMB, "ingest", "--primary", primary.url, "--data", primary.data.parent / "node", "--listen",
             f"127.0.0.1:{self.port}"], stderr=primary.log, env={**os.environ, "PLUMB_TOKEN": token})
        self.url = f"http://127.0.0.1:{self.port}"
        wait_for_port(self.port)

    def last_sequence(self, data):
        query = "SELECT seq FROM sqlite_sequence WHERE name = 'batch'"
        found = subprocess.run(
            ["sqlite3", data.parent / "node/journal.db", query], check=True, capture_output=True, text=True).stdout
        return int(found or 0)


def position(data):
    """The last record of the node's journal that the primary has."""
    line = data.run("nodes", "list", "--json")
    return int(line.split('"position":')[1].split(",")[0]) if line else 0


def catch_up(primary, node):
    """Waits until the primary has digested everything that the node accepted."""
    last = node.last_sequence(primary.data)
    while position(primary.data) < last:
        time.sleep(0.2)
    primary.catch_up()


def measure(_, options):
    rows = []
    for name, title, make in [
        ("node-metrickit", "MetricKit payload, 9 KB", lambda: traffic.plain("metrickit")),
        ("node-native", "native session and measurement", lambda: traffic.plain("native")),
        ("node-fleet", "mixed fleet", lambda: traffic.fleet(options.fleet)),
    ]:
        with contextlib.ExitStack() as stack:
            data = stack.enter_context(DataFolder())
            primary = stack.enter_context(Plumb(data))
            node = stack.enter_context(Node(primary))
            file = traffic.file("nodes-" + title.split()[0] + options.suffix, make)
            rates, costs = [], {node: [], primary: []}
            for _ in range(options.rounds):
                before = {server: server.cpu() for server in costs}
                load = wrk.post(node.url, file, data.keys[0], options.seconds)
                catch_up(primary, node)
                rates.append(load.rate)
                for server, found in costs.items():
                    found.append((server.cpu() - before[server]) / load.count * 1e6)
            own, others = (statistics.median(costs[server]) for server in (node, primary))
            rows.append(Row(name, f"through an ingest node: {title}", [
                rate(statistics.median(rates)), cpu(own), peak(node.peak()),
                Figure("primary", others, "µs", text="at the primary {} µs"),
                Figure("primary-peak", primary.peak(), "MB", text="peak of the primary {} MB")]))
    return rows
