"""Loads of requests: the cost of each format through real sockets, alone and mixed."""
import contextlib
import os
import statistics
from dataclasses import dataclass
from typing import Callable

import bugsink
import traffic
import wrk
from figures import Figure, Row, cpu, peak, rate
from servers import Bare, DataFolder, Plumb


@dataclass
class Ingest:
    """A load and the limits of its cost."""
    title: str
    make: Callable
    most_cpu: float = None
    most_peak: float = 160
    least_ratio: float = None
    most_journal: float = None
    beside_bugsink: bool = False

    def measure(self, name, options):
        """Rounds on one fresh server, alternating with an earlier program if one is given, and with the bare server where
        the ratio matters."""
        file = traffic.file(name + options.suffix, lambda: self.make(options))
        rates, processor, earlier, ratios, waits, refused = [], [], [], [], [], 0
        with contextlib.ExitStack() as stack:
            server, *old = [
                stack.enter_context(Plumb(stack.enter_context(DataFolder(program=program))))
                for program in [None, *filter(None, [options.earlier])]]
            bare = stack.enter_context(Bare()) if self.least_ratio else None
            has_bugsink = self.beside_bugsink and bugsink.installed()
            beside = stack.enter_context(bugsink.Bugsink()) if has_bugsink else None
            count, others = 0, []
            for _ in range(options.rounds):
                load, wait, each = post(server, file, options.seconds)
                waits.append(wait)
                rates.append(load.rate)
                processor.append(each)
                refused += load.refused
                for other in old:
                    load_of_other, _, each_of_other = post(other, file, options.seconds)
                    if load_of_other.refused:
                        raise SystemExit(f"{options.earlier} refused {load_of_other.refused} requests of {name}")
                    earlier.append(each / each_of_other)
                count += load.count
                if bare:
                    ratios.append(load.rate / wrk.post(bare.url, file, "", options.seconds).rate)
                if beside:
                    others.append(beside.post(file, options.seconds))
            most = server.peak()
            server.stop()
            journal = server.data.size("journal") / count / 1000
        own = statistics.median(rates)
        figures = [rate(own), cpu(statistics.median(processor), self.most_cpu), peak(most, self.most_peak)]
        if earlier:
            text = "{} of the processor time of " + os.path.basename(options.earlier)
            figures.append(Figure("earlier", statistics.median(earlier), digits=2, text=text))
        if ratios:
            ratio = statistics.median(ratios)
            figures.append(Figure("bare", ratio, digits=3, text="{} of the bare server", least=self.least_ratio))
        figures += [
            Figure("journal", journal, "KB", 2, "journal {} KB", most=self.most_journal),
            Figure("current", statistics.median(waits), "s", 1, "current after {} s")]
        if others:
            other = statistics.median(others)
            figures += [
                Figure("bugsink", own / max(1, other), "×", 1, "{} × Bugsink", least=25),
                Figure("bugsink-rate", other, "requests/s", text="Bugsink {} requests/s")]
        elif self.beside_bugsink:
            figures.append(Figure("bugsink", text="Bugsink skipped: pip reaches no network"))
        if refused:
            figures.append(Figure("refused", refused, text="{} REFUSED"))
        return [Row(name, self.title, figures)]


def post(server, file, seconds):
    """A load, the seconds until it is digested, and the processor time of a request in microseconds."""
    before = server.cpu()
    load = wrk.post(server.url, file, server.data.keys[0], seconds)
    wait = server.catch_up()
    return load, wait, (server.cpu() - before) / load.count * 1e6


def plain(kind):
    return lambda options: traffic.plain(kind)


LOADS = {
    "metrickit": Ingest(
        "MetricKit payload, 9 KB", plain("metrickit"), most_cpu=45, most_peak=70, least_ratio=0.30, most_journal=0.35),
    "sentry-crash": Ingest(
        "Sentry crash event, 8.3 KB, 40 frames", plain("sentry-crash"), most_cpu=110, most_peak=110, beside_bugsink=True),
    "metrickit-crash": Ingest(
        "MetricKit crash, 30 KB, 4 × 41 frames", plain("metrickit-crash"), most_cpu=170, most_peak=110),
    "crash-report": Ingest("crash report as text, 23 KB, 6 × 25 frames", plain("crash-report")),
    "otlp-json": Ingest("OTLP/JSON, 8 histograms, 3.7 KB", plain("otlp-json"), most_cpu=60),
    "otlp-protobuf": Ingest("OTLP protobuf, the same, 2.3 KB", plain("otlp-protobuf"), most_cpu=45),
    "native": Ingest("native session and measurement", plain("native"), most_cpu=40),
    "sentry-session": Ingest("Sentry session update", plain("sentry-session"), most_cpu=35),
    "fleet": Ingest(
        "mixed fleet: 60 models × 25 OS versions × 20 releases × 28 days", lambda options: traffic.fleet(options.fleet),
        most_cpu=90, most_peak=110),
    "formats": Ingest(
        "mixed formats: 60 % MetricKit, 25 % sessions, 10 % OTLP, 5 % crashes",
        lambda options: traffic.mixed_formats(), most_peak=110),
}
