import Core
import Statistics

/// Formats a comparison of performance-test runs.
public enum LabFormatter {
  /// The formats available for comparisons.
  public static let formats = ComparisonFormatter.formats

  /// The comparison in one of `formats`.
  public static func text(_ comparison: LabComparison, _ format: OutputFormat) -> [UInt8] {
    switch format {
    case .json: comparison.json()
    case .csv: comparison.csv()
    case .markdown: Array(markdown(comparison).utf8)
    case .junit: Array(junit(comparison).utf8)
    case .github: Array(github(comparison).utf8)
    case .text, .html, .slack: Array((lines(comparison).joined(separator: "\n") + "\n").utf8)
    }
  }

  /// The number of runs and their runners: the subject of the table.
  private static func scope(_ comparison: LabComparison) -> String {
    let runners = comparison.runners.map { $0.isEmpty ? "a runner without a name" : $0 }.joined(separator: ", ")
    return "\(comparison.app), runs: \(comparison.baseRuns) of \(comparison.base), \(comparison.headRuns) of "
      + "\(comparison.head), on " + (runners.isEmpty ? "no runner in common" : runners)
      + (comparison.leftOut == 0
        ? "" : "; left out, without a counterpart on the same runner and devices: \(comparison.leftOut)")
  }

  private static func titles(_ comparison: LabComparison) -> [String] {
    ["test and metric", comparison.base, comparison.head, "difference", "95 %", "verdict"]
  }

  private static func cells(_ series: LabDifference, _ comparison: LabComparison) -> [String] {
    let metric = series.comparison
    let reason =
      metric.verdict == .notEnoughData ? nil : metric.explanation(base: comparison.base, head: comparison.head)
    return ComparisonFormatter.cells(metric).prefix(5)
      + [[metric.verdict.word, reason].compactMap(\.self).joined(separator: ", ")]
  }

  private static func lines(_ comparison: LabComparison) -> [String] {
    let table = AlignedTable.lines([titles(comparison)] + comparison.series.map { cells($0, comparison) })
    return [comparison.sentence, scope(comparison), ""] + table
  }

  private static func markdown(_ comparison: LabComparison) -> String {
    var text = Markdown.escaped(comparison.sentence) + "\n\n"
    text += Markdown.row(titles(comparison).map(Markdown.escaped)) + "|---|---:|---:|---:|---:|---|\n"
    for series in comparison.series {
      let cells = cells(series, comparison).map(Markdown.escaped)
      text += Markdown.row(series.comparison.verdict == .worse ? cells.map { "**\($0)**" } : cells)
    }
    return text + "\n<sub>\(Markdown.escaped(scope(comparison))). Each run counts once.</sub>\n"
  }

  private static func junit(_ comparison: LabComparison) -> String {
    JUnitReport.text(
      "\(comparison.app) lab \(comparison.base) to \(comparison.head)", app: comparison.app,
      comparison.series.map { series in
        let message = sentence(series, comparison)
        let outcome: JUnitReport.Outcome =
          switch series.comparison.verdict {
          case .worse: series.stops ? .failure(message) : .output(message)
          case .notEnoughData: .skipped(message)
          case .better, .noDifferenceShown: .passed
          }
        return (series.comparison.plainTitle, outcome)
      })
  }

  /// GitHub Actions annotations: an error for each metric that is worse, a warning if it is by less than the margin,
  /// and the overall result.
  private static func github(_ comparison: LabComparison) -> String {
    let worse = comparison.series.filter { $0.comparison.verdict == .worse }.map { series in
      GitHubCommand.line(
        series.stops ? .error : .warning, title: series.comparison.plainTitle, sentence(series, comparison))
    }
    return worse.joined()
      + GitHubCommand.line(
        comparison.exitStatus == 0 ? .notice : .warning, title: "Lab: \(comparison.head) against \(comparison.base)",
        comparison.sentence)
  }

  private static func sentence(_ series: LabDifference, _ comparison: LabComparison) -> String {
    let cells = cells(series, comparison)
    return "\(cells[5]): \(cells[0]), \(comparison.base) \(cells[1]), \(comparison.head) \(cells[2]), "
      + "difference \(cells[3]) (\(cells[4])) [\(scope(comparison))]"
  }
}

extension LabComparison {
  /// The result in one line, or why there is none.
  var sentence: String {
    let pair = "\(head) against \(base)"
    guard !isTestable else { return series.map(\.comparison).sentence(pair) }
    if runners.isEmpty { return "\(pair): no runner has runs of both, so nothing can be compared." }
    let runs = "\(baseRuns) \(baseRuns == 1 ? "run" : "runs") against \(headRuns)"
    return "\(pair): \(runs) cannot show a difference; "
      + "\(RunAssignments.fewestRuns(level: Self.level)) of each on one runner and the same devices can."
  }
}
