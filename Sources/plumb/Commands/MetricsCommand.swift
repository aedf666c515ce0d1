import Analysis
import ArgumentParser
import Core

/// The command `plumb metrics`: lists the metric catalogue.
struct Metrics: ParsableCommand, FormattedCommand {
  static let formats: [OutputFormat] = [.text, .markdown]

  static let configuration = CommandConfiguration(
    abstract: "List the metrics Plumb knows by name, with their default budgets.",
    discussion: """
      Example:
        plumb metrics
        plumb metrics --format markdown > docs/metrics.md
      """)

  @Option(help: "Output: text or markdown.")
  var format = Format<Self>.text

  func run() {
    Console.print(format.value == .markdown ? MetricList.markdown() : MetricList.text())
  }
}

/// The metric catalogue as text. Sessions, users and payloads are left out, because they are shown only as derived
/// metrics.
enum MetricList {
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

  /// The kind of a metric in words: `distribution per screen`, `distribution of device-days`, `counter`.
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
         `RECORD=1 make test`, which writes this file anew. -->

    Every metric Plumb knows by name. The default budget applies where a team's budget file says nothing about the
    metric; `warn at` is the level that warns. `open first` is the advice shown when the budget breaks.

    **Kinds.** A *distribution* has percentiles and a mean. A *ratio* is a share of a total. A *rate* is a sum divided by
    another sum, such as hang time per hour of use. A *counter* is a sum over the window; it has no interval, so a budget
    on a counter never gets further than "not enough data".

    **Crash-free.** The default budgets of sessions and of user-days say the same of a usual app: at 4 sessions a day,
    0.2 % of sessions that crash are 0.8 % of user-days with a crash. So user-days take 99 % where sessions take 99.5 %.

    **Weight.** A launch or a request counts once each. A distribution *of device-days* has one value for each device and
    day, because MetricKit reports it so (peak memory, hitch ratio).

    **Units.** 1 KB is 1,000 B, 1 MB is 1,000,000 B, as in MetricKit's own strings. Native JSON may use \
    \(InputUnit.symbols.map { "`\($0)`" }.joined(separator: ", ")); values are converted to the unit of the metric.

    **Names of your own.** Native JSON may send any name of 1 to 120 characters of `A-Z a-z 0-9 . _ - / :` and space. It
    is stored and shown, and has no default budget. An app may have 200 of them, and 200 labels a metric; what exceeds
    that is booked under `(other)`. Ratios and rates below are computed by the server and cannot be sent.

    **Signposts.** A MetricKit signpost becomes `signpost.<category>.<name>`, the distribution of its durations in ms, and
    where the payload has them `.cpu` (s, counter), `.memory` (B, distribution), `.writes` (B, counter) and
    `.hitch_ratio` (ms/s, distribution). A signpost without intervals becomes `signpost.<category>.<name>.count`.
    """
}
