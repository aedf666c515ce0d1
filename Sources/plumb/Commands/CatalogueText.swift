import Analysis
import ArgumentParser
import Core

/// The metric catalogue as text. Sessions, users and payloads are left out, because only metrics derived from them are
/// shown.
enum CatalogueText {
  private static let shown = Catalogue.metrics.filter {
    ![Catalogue.sessions, Catalogue.users, Catalogue.payloads].contains($0.number)
  }

  /// The titles of the metric families, by the hundreds digit of the metrics' numbers.
  private static let families = [
    "Stability", "Launch", "Responsiveness", "Rendering", "Memory", "Network", "Processor, disk, time, location",
    "Exits", "Diagnostics",
  ]

  /// One line per metric: name, unit, kind, default budget.
  static func text() -> String {
    let rows = shown.map { [$0.name, $0.unit.symbol, kind(of: $0), $0.budget ?? ""] }
    let widths = (0..<3).map { column in rows.map { $0[column].unicodeScalars.count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.unicodeScalars.count) }
      return trimmed((cells + [row[3]]).joined(separator: "  "))
    }.joined(separator: "\n")
  }

  /// The document `docs/metrics.md`, without its last line break.
  static func markdown() -> String {
    var lines = [introduction]
    for (index, family) in families.enumerated() {
      lines += ["", "## \(family)", "", "| metric | unit | kind | from MetricKit | default budget | open first |"]
      lines.append("|---|---|---|---|---|---|")
      lines += shown.filter { Int($0.number) / 100 == index }.map(row)
    }
    return lines.joined(separator: "\n")
  }

  private static func row(of metric: Metric) -> String {
    let source = metric.metricKit.map { $0.utf8.contains(UInt8(ascii: " ")) ? $0 : "`\($0)`" } ?? "–"
    let cells = [
      "`\(metric.name)`<br>\(metric.title)", metric.unit.symbol, kind(of: metric), source,
      metric.budget.map { "`\($0)`" } ?? "–", metric.advice ?? "–",
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  /// The kind of a metric, such as `distribution per screen`, `distribution of device-days` or `counter`.
  private static func kind(of metric: Metric) -> String {
    let weight = metric.weight == .deviceDay ? " of device-days" : ""
    return metric.kind.rawValue + weight + (metric.labelledBy.map { " per \($0)" } ?? "")
  }

  private static func trimmed(_ line: String) -> String {
    var line = line[...]
    while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
    return String(line)
  }

  private static let introduction = """
    # Metrics

    <!-- Written by `plumb metrics --format markdown`. Change the catalogue in Sources/Core/Telemetry, then run
         `RECORD=1 make test`, which rewrites this file. -->

    The metrics in Plumb's catalogue. The default budget applies unless the app's budget file has a budget for the
    metric; `warn at` is the level of a warning. The column `open first` is the advice shown when the budget is broken.

    **Kinds.** A *distribution* has percentiles and a mean. A *ratio* is a share of a total. A *rate* is a sum divided
    by another sum, such as hang time per hour of use. A *counter* is a sum over the window. It has no interval, so the
    verdict of a budget on a counter is always "not enough data".

    **Crash-free.** The default budgets for sessions and for user-days are equivalent for a typical app: at 4 sessions
    a day, crashes in 0.2% of sessions are crashes on 0.8% of user-days. So the limit is 99.5% for sessions and 99%
    for user-days.

    **Weight.** Each launch or request counts once. A distribution *of device-days* has one value per device and day,
    because MetricKit reports these metrics per day (peak memory, hitch ratio).

    **Units.** 1 KB is 1,000 B and 1 MB is 1,000,000 B, as in MetricKit's own strings. Native JSON can use \
    \(InputUnit.symbols.map { "`\($0)`" }.joined(separator: ", ")); values are converted to the metric's unit.

    **Custom metrics.** Native JSON can contain any name of 1 to 120 characters from `A-Z a-z 0-9 . _ - / :` and space.
    Custom metrics are stored and shown, and have no default budget. An app can have 200 custom metrics, and 200 labels
    per metric; further names are counted under `(other)`. The server computes the ratios and rates below, so they
    cannot be sent.

    **Signposts.** A MetricKit signpost becomes `signpost.<category>.<name>`, the distribution of its durations in ms.
    If the payload has them, there are also `.cpu` (s, counter), `.memory` (B, distribution), `.writes` (B, counter)
    and `.hitch_ratio` (ms/s, distribution). A signpost without intervals becomes
    `signpost.<category>.<name>.count`.
    """
}
