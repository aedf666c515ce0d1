"""Pages: the time of a fresh page, and the rate of cached ones."""
import datetime

import history
import traffic
import wrk
from figures import Figure, Row, cpu, peak, rate
from traffic import TODAY
from servers import APP, Bare, DataFolder, Plumb

LATEST = "4.48.0"
METRIC = "/metrics/launch.first_draw"


def addresses(path, days, history_days, turns, query=""):
    """The same page with windows that end on different days, because the cache uses the address."""
    for turn in range(turns):
        to = TODAY - datetime.timedelta(days=1 + turn % 20)
        start = to - datetime.timedelta(days=min(days, history_days - turn % 20) - 1)
        yield f"/apps/{APP}{path}?from={start:%Y-%m-%d}&to={to:%Y-%m-%d}{query}"


def comparisons(turns):
    """Each release of a row compared with the preceding one."""
    for turn in range(turns):
        yield f"/apps/{APP}/compare?base=4.{47 - turn % 20}.0&head=4.{48 - turn % 20}.0"


def measure(name, options):
    days, releases, models = (40, 10, 8) if options.quick else (400, 50, 40)
    rows = []
    with DataFolder() as data:
        folder = data.parent / "history"
        history.write(folder, days, releases, models)
        seconds, most = data.imported(folder)
        title = f"import of {days} days, {releases} releases, {models} models"
        rows.append(Row("import", title, [peak(most, 160), Figure("seconds", seconds, "s", 1, "in {} s", most=20)]))
        with Plumb(data) as server:
            server.settle()
            targets = [
                ("page-app", "the app's page, 28 days", "", 28, 10),
                ("page-metric", "a metric, 28 days", METRIC, 28, None),
                ("page-metric-all", f"a metric, all {days} days", METRIC, days, 40),
                ("page-label-all", f"a labelled metric, all {days} days", "/metrics/screen.load", days, 40),
                ("page-sessions-all", f"crash-free sessions, all {days} days", "/metrics/sessions.crash_free", days, 40)]
            if not options.quick:
                targets.append(("page-release", "a release", f"/releases/{LATEST}", 28, None))
            pages = [
                (page, title, limit, addresses(path, length, days, options.turns))
                for page, title, path, length, limit in targets]
            if not options.quick:
                def filtered(path, query):
                    return addresses(path, 28, days, options.turns, query)

                releases = ("/api/v1" + address for address in filtered("/releases", ""))
                pages += [
                    ("page-compare", "two releases compared, with the chart of all metrics", None,
                     comparisons(options.turns)),
                    ("page-releases", "the list of releases, as JSON", None, releases),
                    ("page-app-filtered", "the app's page, filtered by release and OS version", None,
                     filtered("", f"&release={LATEST}&os=iOS%2018.1")),
                    ("page-metric-filtered", "a metric, filtered by device", None,
                     filtered(METRIC, "&device=iPhone12%2C1"))]
            for page, title, limit, paths in pages:
                before, turns = server.cpu(), options.turns
                milliseconds = server.fresh(paths)
                spent = (server.cpu() - before) / turns * 1e6
                rows.append(Row(page, "page: " + title, [
                    cpu(spent), Figure("time", milliseconds, "ms", most=limit)]))
            flushed = [
                ("flush-app", "the app's page", "", 10), ("flush-metric", "a metric, 28 days", METRIC, None)]
            if not options.quick:
                flushed.append(("flush-release", "a release", f"/releases/{LATEST}", None))
            requests = traffic.plain("metrickit", options.turns)
            for page, title, path, limit in flushed:
                milliseconds = server.after_flushes(f"/apps/{APP}{path}", requests, data.keys[0])
                rows.append(Row(page, f"first page after a flush: {title}", [
                    Figure("time", milliseconds, "ms", most=limit)]))
            rows.append(known(server, options))
            rows[-1].figures.insert(1, peak(server.peak(), 160))
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
    ratio, sent = sorted(ratios)[len(ratios) // 2]
    return Row("pages", "pages from memory", [
        rate(sent), Figure("bare", ratio, digits=2, text="{} of a bare server that sends as many bytes", least=0.5),
        Figure("size", size / 1000, "KB", text="{} KB a page")])
