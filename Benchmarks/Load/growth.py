"""Growth: the cost of a payload and a page with 1, 10 and 100 times the history, and with 1 and 10 times the
series."""
import contextlib

import plot
import traffic
import wrk
from figures import Figure, Row
from servers import APP, ROOT, DataFolder, Plumb

IMAGES = ROOT / "docs/images"
# Combinations of release and model. Each sends this many payloads on each of 28 days.
CELLS, PAYLOADS = 50, 10
PAGES = {"an app's page": "", "the page of a metric": "/metrics/launch.first_draw"}


class Folder:
    """A data folder whose history grows, with the cost of a payload and a page at each size."""

    def __init__(self, stack, cells, options):
        self.options = options
        self.data = stack.enter_context(DataFolder())
        bodies = 10 * CELLS // cells
        self.days = [
            traffic.file(f"series-{cells}-{before}", lambda: traffic.series(cells, bodies, before))
            for before in range(28, 0, -1)]
        self.of_day = cells * (1 if options.quick else PAYLOADS)
        self.size = 0

    @property
    def unit(self):
        """The number of payloads in the shortest history."""
        return 28 * self.of_day

    def post(self, server, times):
        """Payloads day by day, in the order of arrival."""
        loads = [wrk.post(server.url, day, self.data.keys[0], limit=times * self.of_day) for day in self.days]
        self.size += times
        return sum(load.count for load in loads)

    def grow(self, times):
        """Extends the history to a multiple of the shortest one."""
        if times > self.size:
            with Plumb(self.data) as server:
                self.post(server, times - self.size)
                server.catch_up()

    def measure(self):
        """Processor time in microseconds of a payload and milliseconds of each page. The payloads wait in the
        journal first and are digested together, so that the number of flushes does not depend on their rate."""
        with self.data.digest_lock(), Plumb(self.data) as server:
            idle = server.cpu()
            count = self.post(server, 1)
            spent = server.cpu() - idle
        with Plumb(self.data) as server:
            server.catch_up()
            figures = [(spent + server.cpu()) / count * 1e6]
            # The checks after a start take longer with a longer journal, and would be counted as a page's time.
            server.settle()
            for path in PAGES.values():
                before, turns = server.cpu(), 2 * self.options.turns
                page = f"/apps/{APP}{path}?from={traffic.day(28)}&to={traffic.day(1)}"
                server.fresh(f"{page}&turn={turn}" for turn in range(turns))
                figures.append((server.cpu() - before) / turns * 1000)
        return figures


def measure(options):
    with contextlib.ExitStack() as stack:
        folder = Folder(stack, CELLS, options)
        history = []
        for times in (1, 10, 100):
            folder.grow(times)
            history.append(folder.measure())
    with contextlib.ExitStack() as stack:
        wide = Folder(stack, 10 * CELLS, options)
        wide.grow(1)
        series = [history[0], wide.measure()]
    write(
        "growth-history", "As many series, longer history", f"history: 1 × is {folder.unit:,} payloads", (1, 10, 100),
        history, 1.2)
    write(
        "growth-series", "More series, as much history of each",
        f"series: 1 × is {CELLS} combinations of release and model", (1, 10), series, 12)
    return [
        row(f"{name}-{what}", f"{line.name}, {what}", line, limit)
        for what, figures, limit in (("history", history, 1.2), ("series", series, 12))
        for name, line in zip(("payload", "app-page", "metric-page"), lines(figures))]


def row(name, title, line, limit):
    unit = "µs" if name.startswith("payload") else "ms"
    points = [Figure(f"x{10 ** power}", value, unit) for power, value in enumerate(line.values)]
    return Row(name, title, points + [Figure("growth", line.values[-1] / line.values[0], "×", 2, most=limit)])


def lines(figures):
    names = ["a payload", *PAGES]
    for index, name in enumerate(names):
        values = [point[index] for point in figures]
        yield plot.Line(name, [text(index, value) for value in values], values)


def text(index, value):
    return f"{value:.0f} µs" if index == 0 else f"{value:.0f} ms"


def write(name, title, x_label, xs, figures, limit):
    IMAGES.mkdir(parents=True, exist_ok=True)
    (IMAGES / f"{name}.svg").write_text(plot.chart(
        title, x_label, "processor time, times the first", xs, list(lines(figures)), limit, f"at most {limit:g} ×"))
