"""The tables of `make bench`. Each row is printed as soon as it is measured."""
from dataclasses import dataclass


@dataclass
class Table:
    """`columns`: the figures with their own column. If `has_others`, all others share the last column but one."""
    name: str
    head: tuple
    widths: tuple
    columns: tuple
    has_others: bool = True

    def line(self, cells):
        return "| " + " | ".join(f"{cell:{width}}" for cell, width in zip(cells, self.widths)) + " |"

    def start(self):
        return [self.line(self.head), self.line(["-" * max(3, width) for width in self.widths])]

    def row(self, row):
        return self.line(row.cells(self.columns, self.has_others))


LOADS = Table(
    "loads", ("load", "requests/s", "CPU a request", "peak memory", "other figures", "date"), (44, 10, 20, 20, 0, 10),
    ("rate", "cpu", "peak"))
GROWTH = Table(
    "growth", ("processor time", "1 ×", "10 ×", "100 ×", "growth", "date"), (36, 10, 10, 10, 20, 10),
    ("x1", "x10", "x100", "growth"), has_others=False)
