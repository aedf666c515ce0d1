import Core
import Storage

/// Formats the judgement on a rollout: text for a terminal, markdown for a summary, JUnit XML and annotations for a
/// build server, JSON, or CSV.
public enum RolloutFormatter {
  /// The formats available for rollouts.
  public static let formats: [OutputFormat] = [.text, .markdown, .json, .csv, .junit, .github]

  /// The judgement in one of `formats`.
  public static func text(_ report: RolloutReport, _ format: OutputFormat) -> [UInt8] {
    switch format {
    case .json: report.json()
    case .csv: report.csv()
    case .markdown: Array(markdown(report).utf8)
    case .junit: Array(junit(report).utf8)
    case .github: Array(github(report).utf8)
    case .text, .html, .slack: Array((lines(report).joined(separator: "\n") + "\n").utf8)
    }
  }

  private static func lines(_ report: RolloutReport) -> [String] {
    let rows = report.vitals.map { cells($0, report) }
    let table = rows.isEmpty ? [] : [""] + AlignedTable.lines([titles(report)] + rows)
    let notes = [report.forecast?.sentence, report.arrivedSentence, report.environmentNote]
    return ["\(report.verdict.word): \(report.sentence)", scope(report)] + notes.compactMap(\.self) + table
      + causes(report)
  }

  /// Where worse and suspicious vitals became worse, after an empty line.
  private static func causes(_ report: RolloutReport) -> [String] {
    CauseList.lines(report.vitals.map { ($0.plainTitle, $0.causes) })
  }

  private static func titles(_ report: RolloutReport) -> [String] {
    ["vital", report.base, "at the same age", report.release, "ratio", "evidence", "state"]
  }

  private static func cells(_ vital: RolloutVital, _ report: RolloutReport) -> [String] {
    [
      vital.plainTitle, Quantity.text(vital.baseValue, vital.unit), vital.sameAgeText,
      Quantity.text(vital.headValue, vital.unit),
      vital.ratioText, "\(number(vital.evidence.value)) of \(number(vital.limit))",
      vital.explanation(base: report.base),
    ]
  }

  private static func number(_ value: Double) -> String {
    value >= 1e6 ? "> 1,000,000" : value >= 100 ? Decimal.grouped(Int(value)) : Decimal.significant(value)
  }

  /// The environment, days and current share: the subject of the table.
  private static func scope(_ report: RolloutReport) -> String {
    let share = report.share.map { ", \(Decimal.significant($0 * 100))\u{A0}% of use on the last day" } ?? ""
    return "\(report.app), \(report.slice.environment), \(report.release) against \(report.base), "
      + "\(report.window.from.iso) to \(report.window.to.iso)\(share)"
  }

  private static func markdown(_ report: RolloutReport) -> String {
    var text = "**\(report.verdict.word)**: \(Markdown.escaped(report.sentence))\n\n"
    for note in [report.forecast?.sentence, report.arrivedSentence].compactMap(\.self) {
      text += Markdown.escaped(note) + "\n\n"
    }
    if !report.vitals.isEmpty {
      text += Markdown.row(
        titles(report).map { Markdown.escaped($0.isEmpty ? $0 : $0.prefix(1).uppercased() + $0.dropFirst()) })
      text += "|---|---:|---:|---:|---:|---:|---|\n"
      for vital in report.vitals { text += Markdown.row(cells(vital, report).map(Markdown.escaped)) }
      text += causes(report).map { ($0.isEmpty ? "" : "- " + Markdown.escaped($0)) + "\n" }.joined() + "\n"
    }
    return text + "<sub>\(Markdown.escaped(scope(report))).</sub>\n"
  }

  /// JUnit XML with a test case for each vital: failed if it is worse, skipped without enough data.
  private static func junit(_ report: RolloutReport) -> String {
    JUnitReport.text(
      "\(report.app) rollout of \(report.release)", app: report.app,
      report.vitals.map { vital in
        let message = sentence(vital, report)
        let outcome: JUnitReport.Outcome =
          switch vital.state {
          case .worse: .failure(message)
          case .unknown: .skipped(message)
          case .afterUpdate, .suspicious: .output(message)
          case .clear: .passed
          }
        return (vital.plainTitle, outcome)
      })
  }

  /// GitHub Actions annotations: an error for each vital that is worse, a warning for each suspicious one, and the
  /// verdict.
  private static func github(_ report: RolloutReport) -> String {
    let lines = report.vitals.filter { $0.state == .worse || $0.state == .suspicious }.map { vital in
      GitHubCommand.line(vital.state == .worse ? .error : .warning, title: vital.plainTitle, sentence(vital, report))
    }
    let level: GitHubCommand.Level = report.verdict == .continue ? .notice : .warning
    return lines.joined()
      + GitHubCommand.line(level, title: "\(report.verdict.word): rollout of \(report.release)", report.sentence)
  }

  private static func sentence(_ vital: RolloutVital, _ report: RolloutReport) -> String {
    let cells = cells(vital, report)
    return "\(cells[6]): \(cells[0]), \(report.base) \(cells[1]), \(report.release) \(cells[3]), \(cells[4]), "
      + "evidence \(cells[5]) [\(scope(report))]"
  }
}

extension RolloutReport {
  /// The exit status of `plumb rollout`: 0 to continue, 1 to extend, 2 to halt.
  public var exitStatus: Int32 {
    switch verdict {
    case .continue: 0
    case .extend: 1
    case .halt: 2
    }
  }
}
