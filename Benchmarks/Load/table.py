"""The table of `make bench`. Each line is printed as soon as it is measured."""
from dataclasses import dataclass, field

HEAD = ("load", "requests/s", "CPU a request", "peak memory", "besides")
WIDTHS = (44, 10, 20, 20, 0)


def judged(text, value, most=None, least=None, unit=""):
    """A figure with its target: `64 µs (≤ 50 ✗)`."""
    if most is not None:
        return f"{text} (≤ {most:g}{unit} {'✓' if value <= most else '✗'})"
    if least is not None:
        return f"{text} (≥ {least:g}{unit} {'✓' if value >= least else '✗'})"
    return text


@dataclass
class Row:
    load: str
    rate: float = None
    cpu: float = None
    most_cpu: float = None
    peak: float = None
    most_peak: float = None
    besides: list = field(default_factory=list)

    def cells(self):
        cpu = "" if self.cpu is None else judged(f"{self.cpu:,.0f} µs", self.cpu, self.most_cpu)
        peak = "" if self.peak is None else judged(f"{self.peak:.0f} MB", self.peak, self.most_peak)
        rate = "" if self.rate is None else f"{self.rate:,.0f}"
        return self.load, rate, cpu, peak, "; ".join(self.besides)


class Table:
    """Lines of Markdown that are printed at once and, on request, recorded in docs/performance.md."""

    def __init__(self, name, head=HEAD, widths=WIDTHS):
        self.name, self.widths, self.lines = name, widths, []
        self.line(head)
        self.line(["-" * max(3, width) for width in widths])

    def line(self, cells):
        text = "| " + " | ".join(f"{cell:{width}}" for cell, width in zip(cells, self.widths)) + " |"
        self.lines.append(text)
        print(text, flush=True)

    def record(self, path, machine):
        """Replaces the table between the marks `<!-- name -->` and `<!-- /name -->`."""
        first, last = f"<!-- {self.name} -->", f"<!-- /{self.name} -->"
        before, rest = path.read_text().split(first)
        after = rest.split(last)[1]
        text = "\n".join([first, machine, "", *self.lines, last])
        path.write_text(before + text + after)
