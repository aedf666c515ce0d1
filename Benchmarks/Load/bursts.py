"""Bursts and backlogs: the time until they are digested, and the memory that this takes."""
import contextlib
import time

import traffic
import wrk
from cgroup import MemoryLimit
from figures import Figure, Row, cpu, peak, rate
from servers import APP, DataFolder, Plumb, ServerEnded


def burst(name, options, title, make, limit, most_seconds, most_peak):
    """Sends `limit` requests as fast as they are accepted. Measures the time from the first one until all are
    digested."""
    file = traffic.file(name, make)
    with DataFolder() as data, Plumb(data) as server:
        begin = time.monotonic()
        load = wrk.post(server.url, file, data.keys[0], limit=limit)
        server.catch_up()
        seconds = time.monotonic() - begin
        figures = [
            rate(load.rate), cpu(server.cpu() / load.count * 1e6), peak(server.peak(), most_peak),
            Figure("current", seconds, "s", text="current after {} s", most=most_seconds)]
        if load.refused:
            figures.append(Figure("refused", load.refused, text="{} REFUSED"))
    return [Row(name, title, figures)]


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
    """Creates a backlog: the accepting server does not hold the digest lease. It does not learn how little the records
    add to the rows, so by its estimate the app would exceed its bytes of a day."""
    with data.digest_lock(), Plumb(data, bytes_per_day="1024GiB") as server:
        load = wrk.post(server.url, file, data.keys[0], limit=limit)
        if load.refused:
            raise SystemExit(f"{load.refused} of {load.count} requests were refused")
        return load.count


def restart(name, options):
    count = 500_000 // options.shrink
    with DataFolder() as data:
        file = traffic.file("metrickit" + options.suffix, lambda: traffic.plain("metrickit"))
        waiting = fill_journal(data, file, count)
        return [recovered(name, f"restart with {count:,} payloads waiting", data, waiting, 5)]


def recovered(name, title, data, waiting, most_seconds):
    """Starts a server on a folder with waiting records. Measures the time from the start until all are digested."""
    begin = time.monotonic()
    with Plumb(data) as server:
        server.catch_up()
        seconds = time.monotonic() - begin
        return Row(name, title, [
            rate(waiting / seconds), cpu(server.cpu() / waiting * 1e6), peak(server.peak(), 160),
            Figure("current", seconds, "s", 1, "current after {} s", most=most_seconds),
            Figure("waiting", waiting, "payloads", text="{} payloads")])


def fleet_waiting(name, options):
    """Digests the mixed fleet from the journal at once, and imports it with `plumb import`."""
    file = traffic.file("fleet" + options.suffix, lambda: traffic.fleet(options.fleet))
    with DataFolder() as data:
        waiting = fill_journal(data, file, options.fleet)
        rows = [recovered("fleet-journal", "the mixed fleet from the journal", data, waiting, None)]
    with DataFolder() as data:
        folder = data.parent / "bodies"
        traffic.unpack(file, folder)
        seconds, most = data.imported(folder)
        rows.append(Row("fleet-import", "the mixed fleet by plumb import", [
            rate(options.fleet / seconds), peak(most, 160),
            Figure("seconds", seconds, "s", 1, "imported in {} s", most=10)]))
    return rows


def fleet_limited(name, options):
    """Sends the mixed fleet at full speed to a server with a limit of 256 MB, then digests it again from the
    journal."""
    file = traffic.file("fleet" + options.suffix, lambda: traffic.fleet(options.fleet))
    title = "the mixed fleet in a cgroup of 256 MB"
    with contextlib.ExitStack() as stack:
        limit = stack.enter_context(MemoryLimit(256 << 20))
        if not limit.is_writable:
            return [Row(name, title, [Figure("skipped", text="skipped: no cgroup can be written here")])]
        data = stack.enter_context(DataFolder())
        figures = []
        for turn, words in (("live", "live"), ("journal", "from the journal")):
            if turn != "live":
                fill_journal(data, file, options.fleet)
            figures += outcome(turn, words, data, limit, file if turn == "live" else None, options)
    return [Row(name, title, figures)]


def outcome(turn, words, data, limit, file, options):
    begin = time.monotonic()
    try:
        with Plumb(data, limit) as server:
            if file:
                load = wrk.post(server.url, file, data.keys[0], seconds=60, limit=options.fleet)
                if server.process.poll() is not None:
                    raise ServerEnded
            server.catch_up()
            figures = [
                Figure(turn, time.monotonic() - begin, "s", text=f"{words}: survived ✓, current after {{}} s"),
                Figure(f"{turn}-peak", server.peak(), "MB", text="peak {} MB")]
            if file and load.refused:
                figures.append(Figure(f"{turn}-refused", load.refused, text="{} REFUSED"))
            return figures
    except (ServerEnded, SystemExit):
        return [Figure(turn, text=f"{words}: KILLED ✗")]


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
            return [Row(name, f"{count} apps with 100 payloads each", [
                peak(server.peak(), 160), Figure("overview", milliseconds, "ms", text="overview {} ms", most=100)])]


LOADS = {
    "sessions": sessions, "restart": restart, "labels": labels, "apps": many_apps, "fleet-waiting": fleet_waiting,
    "fleet-limited": fleet_limited,
}
