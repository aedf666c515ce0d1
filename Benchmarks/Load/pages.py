"""Pages: the time of a fresh page, and the rate of cached ones."""
import datetime

import history
import wrk
from traffic import TODAY
from servers import APP, Bare, DataFolder, Plumb
from table import Row, judged

LATEST = "4.48.0"


def addresses(path, days, history_days, turns):
    """The same page with windows that end on different days, because the cache uses the address."""
    for turn in range(turns):
        to = TODAY - datetime.timedelta(days=1 + turn % 20)
        start = to - datetime.timedelta(days=min(days, history_days - turn % 20) - 1)
        yield f"/apps/{APP}{path}?from={start:%Y-%m-%d}&to={to:%Y-%m-%d}"


def measure(name, options):
    days, releases, models = (40, 10, 8) if options.quick else (400, 50, 40)
    rows = []
    with DataFolder() as data:
        folder = data.parent / "history"
        history.write(folder, days, releases, models)
        seconds, peak = data.imported(folder)
        title = f"import of {days} days, {releases} releases, {models} models"
        rows.append(Row(title, None, None, None, peak, 160, [f"in {seconds:.1f} s"]))
        with Plumb(data) as server:
            targets = [
                ("the app's page, 28 days", "", 28, None),
                ("a metric, 28 days", "/metrics/launch.first_draw", 28, None),
                (f"a metric, all {days} days", "/metrics/launch.first_draw", days, 60),
                (f"a labelled metric, all {days} days", "/metrics/screen.load", days, 60),
                (f"crash-free sessions, all {days} days", "/metrics/sessions.crash_free", days, 60)]
            if not options.quick:
                targets.append(("a release", f"/releases/{LATEST}", 28, None))
            for title, path, length, most in targets:
                before, turns = server.cpu(), options.turns
                milliseconds = server.fresh(addresses(path, length, days, turns))
                cpu = (server.cpu() - before) / turns * 1e6
                note = judged(f"{milliseconds:.0f} ms", milliseconds, most=most, unit=" ms")
                rows.append(Row("page: " + title, None, cpu, None, None, None, [note]))
            rows.append(known(server, options))
            rows[-1].peak, rows[-1].most_peak = server.peak(), 160
    return rows


def known(server, options):
    """A cached page, compared with a bare server that sends the same number of bytes."""
    path = f"/apps/{APP}"
    size = len(server.get(path)[1])
    with Bare(size) as bare:
        ratios = []
        for _ in range(options.rounds):
            load = wrk.get(server.url + path, options.seconds)
            if load.refused:
                raise SystemExit(f"{load.refused} of {load.count} pages were refused")
            ratios.append((load.rate / wrk.get(bare.url, options.seconds).rate, load.rate))
    ratio, rate = sorted(ratios)[len(ratios) // 2]
    note = judged(f"{ratio:.2f} of a bare server that sends as many bytes", ratio, least=0.5)
    return Row(f"pages from memory, {size / 1000:.0f} KB", rate, besides=[note])
