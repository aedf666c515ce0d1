"""A figure with its target, and a row of them."""
from dataclasses import dataclass, field


@dataclass
class Figure:
    """`text` shows the value in place of {}, with its unit. A figure without a value is its text."""
    name: str
    value: float = None
    unit: str = ""
    digits: int = 0
    text: str = None
    most: float = None
    least: float = None

    def __post_init__(self):
        if self.value is not None:
            self.value = round(self.value, self.digits) if self.digits else int(round(self.value))
        if self.text is None:
            self.text = f"{{}} {self.unit}".strip()

    def shown(self):
        """The figure with its target: `64 µs (≤ 50 µs ✗)`."""
        if self.value is None:
            return self.text
        text = self.text.replace("{}", f"{self.value:,.{self.digits}f}")
        unit = f" {self.unit}" if self.unit else ""
        if self.most is not None:
            return f"{text} (≤ {self.most:,g}{unit} {'✓' if self.value <= self.most else '✗'})"
        if self.least is not None:
            return f"{text} (≥ {self.least:,g}{unit} {'✓' if self.value >= self.least else '✗'})"
        return text


def rate(value):
    return Figure("rate", value, "requests/s", text="{}")


def cpu(value, most=None):
    return Figure("cpu", value, "µs", most=most)


def peak(value, most=None):
    return Figure("peak", value, "MB", most=most)


@dataclass
class Row:
    """What was measured of one load. The name is unique among all rows, and a figure's name within its row."""
    name: str
    title: str
    figures: list = field(default_factory=list)
    date: str = ""

    def cells(self, columns, has_others):
        """The title, the figures of these names, all others if they have a column, and the date."""
        found = {figure.name: figure.shown() for figure in self.figures}
        others = "; ".join(shown for name, shown in found.items() if name not in columns)
        return [self.title, *(found.get(name, "") for name in columns), *([others] if has_others else []), self.date]
