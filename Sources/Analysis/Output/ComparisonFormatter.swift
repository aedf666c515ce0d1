import Core
import Storage

/// Formats a comparison of two releases: text for a terminal, markdown for a pull request, JUnit XML and annotations
/// for a build server, JSON, or CSV.
public enum ComparisonFormatter {
  /// The formats available for comparisons.
  public static let formats: [OutputFormat] = [.text, .markdown, .json, .csv, .junit, .github]

  /// The comparison in one of `formats`.
  public static func text(_ comparison: ReleaseComparison, _ format: OutputFormat) -> [UInt8] {
    switch format {
    case .json: comparison.json()
    case .csv: comparison.csv()
    case .markdown: Array(markdown(comparison).utf8)
    case .junit: Array(junit(comparison).utf8)
    case .github: Array(github(comparison).utf8)
    case .text, .html, .slack: Array(lines(comparison).joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
    }
  }

  /// The environment, filters and days of the compared data: the subject of the table.
  static func scope(_ comparison: ReleaseComparison) -> String {
    let slice = comparison.slice
    let filters = [slice.release, slice.os, slice.device, slice.deviceClass, slice.label, slice.attribute?.text]
    let parts = [comparison.app, comparison.environment] + filters.compactMap { $0 }
    return parts.joined(separator: ", ") + ", \(comparison.window.from.iso) to \(comparison.window.to.iso)"
  }

  /// The table's cells for one metric.
  static func cells(_ metric: MetricComparison) -> [String] {
    [
      metric.plainTitle, value(metric.base, metric.unit), value(metric.head, metric.unit),
      metric.change(metric.difference?.value), metric.changeInterval, metric.change(metric.rawDifference),
    ]
  }

  static func verdict(_ metric: MetricComparison, _ comparison: ReleaseComparison) -> String {
    [
      metric.verdict.word, metric.explanation(base: comparison.base, head: comparison.head),
      metric.mixExplanation(base: comparison.base, head: comparison.head),
    ].compactMap { $0 }
      .joined(separator: ", ")
  }

  private static func value(_ value: ComparedValue, _ unit: MetricUnit) -> String {
    guard value.estimate.value != nil else { return Quantity.unknown }
    let bounds = value.estimate.low == nil && value.estimate.high == nil
    let interval = bounds ? "" : " (\(Quantity.interval(value.estimate, unit)))"
    return "\(Quantity.text(value.estimate, unit))\(interval), n \(Decimal.grouped(value.n))"
  }
}

extension ComparisonFormatter {
  /// The verdict, the compared data, and a table with aligned columns.
  static func lines(_ comparison: ReleaseComparison) -> [String] {
    let head = ["metric", comparison.base, comparison.head, "difference", "95 %", "all devices", "verdict"]
    let rows = comparison.metrics.map { metric in cells(metric) + [verdict(metric, comparison)] }
    let table = AlignedTable.lines(rows.isEmpty ? [] : [head] + rows)
    return [comparison.sentence, scope(comparison)] + comparison.notes
      + (table.isEmpty ? [] : [""] + table) + causes(comparison)
  }

  /// Where worse metrics became worse, after an empty line.
  private static func causes(_ comparison: ReleaseComparison) -> [String] {
    CauseList.lines(comparison.metrics.map { ($0.plainTitle, $0.causes) })
  }
}

extension ComparisonFormatter {
  /// A pull-request comment: the verdict, then a table in which regressions are bold.
  static func markdown(_ comparison: ReleaseComparison) -> String {
    var text = "\(Markdown.escaped(comparison.sentence))\n\n"
    for note in comparison.notes { text += Markdown.escaped(note) + "\n\n" }
    if !comparison.metrics.isEmpty {
      let head = ["Metric", comparison.base, comparison.head, "Difference", "95 %", "All devices", "Verdict"]
      text += Markdown.row(head.map(Markdown.escaped)) + "|---|---:|---:|---:|---:|---:|---|\n"
      for metric in comparison.metrics { text += Markdown.row(line(metric, comparison)) }
      text += causes(comparison).map { ($0.isEmpty ? "" : "- " + Markdown.escaped($0)) + "\n" }.joined() + "\n"
    }
    let data = Markdown.escaped(scope(comparison))
    return text + "<sub>\(data). Differences are computed within device classes.</sub>\n"
  }

  private static func line(_ metric: MetricComparison, _ comparison: ReleaseComparison) -> [String] {
    let cells = (cells(metric) + [verdict(metric, comparison)]).map(Markdown.escaped)
    return metric.verdict == .worse ? cells.map { "**\($0)**" } : cells
  }
}

extension ComparisonFormatter {
  /// JUnit XML with a test case for each metric: failed if it stops the release, skipped without enough data.
  static func junit(_ comparison: ReleaseComparison) -> String {
    JUnitReport.text(
      "\(comparison.app) \(comparison.base) to \(comparison.head)", app: comparison.app,
      comparison.metrics.map { metric in
        let message = sentence(metric, comparison)
        let outcome: JUnitReport.Outcome =
          if metric.stopsRelease {
            .failure(message)
          } else if metric.verdict == .notEnoughData {
            .skipped(message)
          } else {
            isDoubtful(metric) ? .output(message) : .passed
          }
        return (metric.plainTitle, outcome)
      })
  }

  /// GitHub Actions annotations: an error for each metric that stops the release, a warning for each that needs a
  /// person's decision, and the overall result.
  static func github(_ comparison: ReleaseComparison) -> String {
    let lines = comparison.metrics.filter(isDoubtful).map { metric in
      GitHubCommand.line(
        metric.stopsRelease ? .error : .warning, title: metric.plainTitle, sentence(metric, comparison))
    }
    let level: GitHubCommand.Level = comparison.exitStatus == 0 ? .notice : .warning
    return lines.joined()
      + GitHubCommand.line(level, title: "\(comparison.head) against \(comparison.base)", comparison.sentence)
  }

  private static func isDoubtful(_ metric: MetricComparison) -> Bool {
    metric.verdict == .worse || metric.worseClass != nil || metric.lacksRequiredData
  }

  private static func sentence(_ metric: MetricComparison, _ comparison: ReleaseComparison) -> String {
    let cells = cells(metric)
    return "\(verdict(metric, comparison)): \(cells[0]), \(comparison.base) \(cells[1]), "
      + "\(comparison.head) \(cells[2]), difference \(cells[3]) (\(cells[4])) [\(scope(comparison))]"
  }
}

extension ReleaseComparison {
  /// Sentences about the compared data: its environment, and how users were divided.
  fileprivate var notes: [String] {
    let division = sampleRatio.flatMap { $0.preventsComparison ? nil : $0.warning }
    return [environmentNote, division].compactMap { $0 }
  }

  /// The exit status of `plumb compare`: 0 for nothing worse, 1 if a person needs to decide, 2 for worse, 3 if the
  /// groups cannot be compared.
  public var exitStatus: Int32 {
    if sampleRatio?.preventsComparison == true { return 3 }
    return switch outcome {
    case .passed: 0
    case .warning: 1
    case .worse: 2
    }
  }
}
