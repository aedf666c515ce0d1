"""Writes line charts as SVG. Both axes are logarithmic, and the charts are readable in light and dark."""
import math
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 215, 50, 60
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328; stroke: none !important }
.title { font-size: 15px; font-weight: 600 }
.paper { fill: #ffffff } .axis { stroke: #59636e } .grid { stroke: #d1d9e0 } .limit { stroke: #d1242f }
.limit-text { fill: #d1242f }
.s0 { stroke: #0969da; fill: #0969da } .s1 { stroke: #8250df; fill: #8250df } .s2 { stroke: #1a7f37; fill: #1a7f37 }
polyline { fill: none !important; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .paper { fill: #0d1117 } .axis { stroke: #9198a1 } .grid { stroke: #3d444d }
  .limit { stroke: #ff7b72 } .limit-text { fill: #ff7b72 }
  .s0 { stroke: #58a6ff; fill: #58a6ff } .s1 { stroke: #bc8cff; fill: #bc8cff } .s2 { stroke: #56d364; fill: #56d364 }
}
"""


@dataclass
class Line:
    name: str
    """What the first point is in its own unit, such as `64 µs`."""
    texts: list
    values: list


def text(x, y, content, anchor="start", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{escape(content)}</text>'


def stroke(kind, x1, y1, x2, y2, extra=""):
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {extra}/>'


def chart(title, x_label, y_label, xs, lines, limit, limit_text):
    """Values as multiples of each line's first one, over `xs`. `limit` is the multiple that no line may exceed."""
    ratios = [[value / line.values[0] for value in line.values] for line in lines]
    flat = [ratio for line in ratios for ratio in line] + [limit, 1]
    low, high = min(flat) / 1.15, max(flat) * 1.15
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    middle = (TOP + bottom) / 2

    def x(value):
        return LEFT + (right - LEFT) * math.log(value / xs[0]) / math.log(xs[-1] / xs[0])

    def y(value):
        return TOP + (bottom - TOP) * math.log(high / value) / math.log(high / low)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}">', f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>', text(LEFT, 26, title, extra='class="title"')]
    for tick in ticks(low, high):
        out += [stroke("grid", LEFT, y(tick), right, y(tick)), text(LEFT - 8, y(tick) + 4, f"{tick:g} ×", "end")]
    for value in xs:
        out += [
            stroke("axis", x(value), bottom, x(value), bottom + 5),
            text(x(value), bottom + 20, f"{value:g} ×", "middle")]
    out += [
        stroke("axis", LEFT, bottom, right, bottom), stroke("axis", LEFT, TOP, LEFT, bottom),
        text((LEFT + right) / 2, HEIGHT - 14, x_label, "middle"),
        text(18, middle, y_label, "middle", f'transform="rotate(-90 18 {middle})"'),
        stroke("limit", LEFT, y(limit), right, y(limit), 'stroke-dasharray="6 4"'),
        text(LEFT + 8, y(limit) - 6, limit_text, extra='class="limit-text"')]
    ends = spread([y(values[-1]) for values in ratios])
    for number, (line, values, end) in enumerate(zip(lines, ratios, ends)):
        points = [(x(at), y(value)) for at, value in zip(xs, values)]
        out.append(f'<polyline class="s{number}" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}"/>')
        out += [f'<circle class="s{number}" cx="{a:.1f}" cy="{b:.1f}" r="3.5"/>' for a, b in points]
        style = f'class="s{number}"'
        out += [
            text(right + 10, end, line.name, extra=style),
            text(right + 10, end + 16, " → ".join(line.texts), extra=style)]
    return "\n".join(out + ["</svg>", ""])


def ticks(low, high):
    """1, 2 and 5 of each decade, more where the axis is short."""
    steps = (1, 2, 5) if high / low > 4 else (0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 2.5, 3)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) if high / low > 4 else (0,)
    return [tick for decade in decades for step in steps if low <= (tick := round(step * 10.0**decade, 6)) <= high]


def spread(heights):
    """The heights of labels, separated so that none covers another."""
    placed = {}
    at = TOP
    for index in sorted(range(len(heights)), key=lambda index: heights[index]):
        at = placed[index] = max(at, heights[index])
        at += 40
    over = max(placed.values()) - (HEIGHT - BOTTOM - 10)
    return [placed[index] - max(0, over) for index in range(len(heights))]
