"""`Benchmarks/results.json`: the last figures of each row, from which the tables of docs/performance.md are written."""
import datetime
import json
import subprocess
from dataclasses import asdict

from figures import Figure, Row
from servers import ROOT
from table import GROWTH, LOADS

FILE = ROOT / "Benchmarks/results.json"
REPORT = ROOT / "docs/performance.md"


def commit():
    """The commit that was measured; marked if files of it were changed."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    return git("rev-parse", "--short=8", "HEAD") + ("-dirty" if git("status", "--porcelain", "Sources") else "")


def record(measured, machine, options):
    """Replaces rows of the same name, adds new ones, and writes both tables anew. `measured`: rows by table."""
    results = json.loads(FILE.read_text())
    about = {
        "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}", "commit": commit(), "machine": machine,
        "options": f"ROUNDS={options.rounds} SECONDS_EACH={options.seconds}"}
    for table, rows in measured.items():
        known = {row["name"]: row for row in results[table]}
        for row in rows:
            figures = [{key: value for key, value in asdict(figure).items() if value is not None}
                       for figure in row.figures]
            known[row.name] = {"name": row.name, "title": row.title, **about, "figures": figures}
        results[table] = list(known.values())
    FILE.write_text(text(results))
    write_tables(results)


def text(results):
    """JSON with a line for each figure, so that a change of one is a change of one line."""
    def line(value):
        return json.dumps(value, ensure_ascii=False)

    tables = []
    for table, rows in results.items():
        items = []
        for row in rows:
            head = line({key: value for key, value in row.items() if key != "figures"})[:-1]
            figures = ",\n   ".join(line(figure) for figure in row["figures"])
            items.append(f'  {head}, "figures": [\n   {figures}\n  ]}}')
        tables.append(f' "{table}": [\n' + ",\n".join(items) + "\n ]")
    return "{\n" + ",\n".join(tables) + "\n}\n"


def write_tables(results):
    """Puts the rows between the marks `<!-- loads -->` and `<!-- /loads -->`, and those of growth likewise."""
    page = REPORT.read_text()
    for table in (LOADS, GROWTH):
        first, last = f"<!-- {table.name} -->", f"<!-- /{table.name} -->"
        before, rest = page.split(first)
        after = rest.split(last)[1]
        rows = [
            Row(row["name"], row["title"], [Figure(**figure) for figure in row["figures"]], row["date"])
            for row in results[table.name]]
        machines = "; ".join(dict.fromkeys(row["machine"] for row in results[table.name]))
        lines = [first, f"Measured on {machines}.", "", *table.start(), *map(table.row, rows), last]
        page = before + "\n".join(lines) + after
    REPORT.write_text(page)
