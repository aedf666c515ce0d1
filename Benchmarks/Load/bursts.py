"""Bursts and backlogs: the time until they are digested, and the memory that this takes."""
import contextlib
import time

import traffic
import wrk
from cgroup import MemoryLimit
from servers import APP, DataFolder, Plumb, ServerEnded
from table import Row, judged


def burst(name, options, title, make, limit, most_seconds, most_peak):
    """Sends `limit` requests as fast as they are accepted. Measures the time from the first one until all are
    digested."""
    file = traffic.file(name, make)
    with DataFolder() as data, Plumb(data) as server:
        begin = time.monotonic()
        load = wrk.post(server.url, file, data.keys[0], limit=limit)
        server.catch_up()
        seconds = time.monotonic() - begin
        note = judged(f"current after {seconds:.0f} s", seconds, most=most_seconds, unit=" s")
        row = Row(title, load.rate, server.cpu() / load.count * 1e6, None, server.peak(), most_peak, [note])
        if load.refused:
            row.besides.append(f"{load.refused} of {load.count} refused")
    return [row]


def sessions(name, options):
    count = 2_000_000 // options.shrink
    return burst(
        name, options, f"{count:,} sessions in a burst, 1,000 a request", lambda: traffic.plain("session-burst", 20),
        count // 1000, 40, 200)


def labels(name, options):
    count = 300_000 // options.shrink
    return burst(
        name, options, f"{count:,} labels of 190 bytes, 100 a request", lambda: traffic.plain("labels", 20),
        count // 100, None, 160)


def fill_journal(data, file, limit):
    """Creates a backlog: the accepting server does not hold the digest lease."""
    with data.digest_lock(), Plumb(data) as server:
        load = wrk.post(server.url, file, data.keys[0], limit=limit)
        if load.refused:
            raise SystemExit(f"{load.refused} of {load.count} requests were refused")
        return load.count


def restart(name, options):
    count = 500_000 // options.shrink
    with DataFolder() as data:
        file = traffic.file("metrickit" + options.suffix, lambda: traffic.plain("metrickit"))
        waiting = fill_journal(data, file, count)
        return [recovered(f"restart with {waiting:,} payloads waiting", data, waiting, 10)]


def recovered(title, data, waiting, most_seconds):
    """Starts a server on a folder with waiting records. Measures the time from the start until all are digested."""
    begin = time.monotonic()
    with Plumb(data) as server:
        server.catch_up()
        seconds = time.monotonic() - begin
        note = judged(f"current after {seconds:.1f} s", seconds, most=most_seconds, unit=" s")
        return Row(title, waiting / seconds, server.cpu() / waiting * 1e6, None, server.peak(), 160, [note])


def fleet_waiting(name, options):
    """Digests the mixed fleet from the journal at once, and imports it with `plumb import`."""
    file = traffic.file("fleet" + options.suffix, lambda: traffic.fleet(options.fleet))
    with DataFolder() as data:
        waiting = fill_journal(data, file, options.fleet)
        rows = [recovered(f"the mixed fleet from the journal, {waiting:,} payloads", data, waiting, None)]
    with DataFolder() as data:
        folder = data.parent / "bodies"
        traffic.unpack(file, folder)
        seconds, peak = data.imported(folder)
        note = f"imported in {seconds:.1f} s"
        rows.append(Row("the mixed fleet by plumb import", options.fleet / seconds, None, None, peak, 160, [note]))
    return rows


def fleet_limited(name, options):
    """Sends the mixed fleet at full speed to a server with a limit of 256 MB, then digests it again from the
    journal."""
    file = traffic.file("fleet" + options.suffix, lambda: traffic.fleet(options.fleet))
    title = "the mixed fleet in a cgroup of 256 MB"
    with contextlib.ExitStack() as stack:
        limit = stack.enter_context(MemoryLimit(256 << 20))
        if not limit.is_writable:
            return [Row(title, besides=["skipped: no cgroup can be written here"])]
        data = stack.enter_context(DataFolder())
        row = Row(title)
        for turn in ("live", "from the journal"):
            if turn != "live":
                fill_journal(data, file, options.fleet)
            row.besides.append(f"{turn}: {outcome(data, limit, file if turn == 'live' else None, options)}")
    return [row]


def outcome(data, limit, file, options):
    begin = time.monotonic()
    try:
        with Plumb(data, limit) as server:
            if file:
                load = wrk.post(server.url, file, data.keys[0], seconds=60, limit=options.fleet)
                if server.process.poll() is not None:
                    raise ServerEnded
            server.catch_up()
            refused = f", {load.refused} refused" if file and load.refused else ""
            return f"survived ✓, current after {time.monotonic() - begin:.0f} s, peak {server.peak():.0f} MB{refused}"
    except (ServerEnded, SystemExit):
        return "KILLED ✗"


def many_apps(name, options):
    """Sends a hundred payloads for each of many apps, then requests the page that lists them."""
    count = 500 // options.shrink
    file = traffic.file("metrickit" + options.suffix, lambda: traffic.plain("metrickit"))
    with DataFolder(()) as data:
        keys = [data.add(f"com.example.shop{number}") for number in range(count)]
        with Plumb(data) as server:
            wrk.post(server.url, file, ",".join(keys), limit=100 * count)
            server.catch_up()
            # The cache has an entry per address, so each address is a new page.
            milliseconds = server.fresh(f"/?turn={turn}" for turn in range(9))
            note = judged(f"overview {milliseconds:.0f} ms", milliseconds, most=100, unit=" ms")
            return [Row(f"{count} apps with 100 payloads each", None, None, None, server.peak(), 160, [note])]


LOADS = {
    "sessions": sessions, "restart": restart, "labels": labels, "apps": many_apps, "fleet-waiting": fleet_waiting,
    "fleet-limited": fleet_limited,
}
