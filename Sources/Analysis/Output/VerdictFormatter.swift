import Core
import Storage

/// Formats verdicts as plain text, JSON, JUnit XML, GitHub annotations and markdown.
public enum VerdictFormatter {
  /// One line for every verdict of all apps, including budgets that are met.
  public static func everything(_ reports: [VerdictReport]) -> [UInt8] { lines(reports, \.everything) { "\($1)\n" } }

  /// The formats available for verdicts.
  public static let formats: [OutputFormat] = [.text, .json, .junit, .github, .markdown]

  /// The findings of all apps in one of `formats`. Plain text is empty when there are no findings.
  public static func text(_ reports: [VerdictReport], _ format: OutputFormat) -> [UInt8] {
    switch format {
    case .github:
      lines(reports) { result, line in GitHubCommand.line(level(result), title: title(result), line) }
    case .json: json(reports)
    case .junit: Array(junit(reports).utf8)
    case .markdown: Array(reports.map(markdown).joined(separator: "\n").utf8)
    case .text, .csv, .html, .slack: lines(reports) { "\($1)\n" }
    }
  }

  /// One line with metric, slice, value, interval, n and budget.
  ///
  ///     BROKEN com.example.shop: p90 launch.first_draw is 2.31 s (2.27–2.36 s at 95 %, n 20,311), at least 2.28 s, 95 % sure, budget <= 2 s [production, 2026-10-24 to 2026-11-20]
  static func line(_ result: BudgetResult, app: String) -> String {
    let note = result.explanation.map { " \($0)" } ?? ""
    return "\(word(result.verdict)) \(app): \(statement(result))\(note)"
  }

  /// The verdict and the statement: `BROKEN: p90 launch.first_draw is 2.31 s …`
  static func summary(_ result: BudgetResult) -> String { "\(word(result.verdict)): \(statement(result))" }

  /// The measured value, the slice, and the budget, without the verdict.
  static func statement(_ result: BudgetResult) -> String {
    let reading = result.value == nil ? "has no value" : "is \(value(result))"
    return "\(title(result)) \(reading), budget \(budget(result)) [\(place(result))]"
  }

  /// The measured value with its interval, n and bound.
  private static func value(_ result: BudgetResult) -> String {
    let hasInterval = result.low != nil || result.high != nil
    let bounds = hasInterval ? "\(Quantity.interval(result.estimate, result.unit)) at 95\u{A0}%, " : ""
    let number = Quantity.text(result.estimate, result.unit)
    // Fewer than 10 groups are too few to estimate the correlation per phone, so there is no interval. The text states
    // it.
    let basis = result.basis == .events && result.n > 0 ? " of fewer than 10 \(groups(of: result))" : ""
    return "\(number) (\(bounds)n \(Decimal.grouped(result.n))\(basis))\(result.boundText.map { ", \($0)" } ?? "")"
  }

  private static func groups(of result: BudgetResult) -> String {
    result.metric.hasPrefix("sessions.") || result.metric.hasPrefix("users.") ? "user-days" : "payloads"
  }

  /// The environment (including `production`), release, device and other conditions of a result.
  private static func scope(_ result: BudgetResult) -> String {
    let isProduction = result.slice.environment == "production"
    return [isProduction ? "production" : nil, result.fullScope].compactMap { $0 }.joined(separator: ", ")
  }

  private static func place(_ result: BudgetResult) -> String {
    "\(scope(result)), \(result.window.from.iso) to \(result.window.to.iso)"
  }

  private static func title(_ result: BudgetResult) -> String {
    [result.statistic, result.metric].compactMap { $0 }.joined(separator: " ")
  }

  private static func budget(_ result: BudgetResult) -> String {
    let sign = result.direction == .lower ? "<=" : ">="
    guard result.verdict == .warning, let warning = result.warnTarget else {
      return "\(sign) \(result.targetText)"
    }
    return "\(sign) \(result.targetText), warn at \(Quantity.limit(warning, result.unit))"
  }

  private static func word(_ verdict: Verdict) -> String {
    switch verdict {
    case .broken: "BROKEN"
    case .warning: "WARNING"
    case .notEnoughData: "NOT ENOUGH DATA"
    case .within: "WITHIN"
    }
  }

  private static func level(_ result: BudgetResult) -> GitHubCommand.Level {
    result.verdict == .broken ? .error : .warning
  }

  /// Removes duplicate lines: budgets for different sets of releases can give the same verdict on one release.
  private static func lines(
    _ reports: [VerdictReport], _ shown: (VerdictReport) -> [BudgetResult] = \.findings,
    _ form: (BudgetResult, String) -> String
  ) -> [UInt8] {
    var seen: Set<String> = []
    let lines = reports.flatMap { report in shown(report).map { form($0, line($0, app: report.app)) } }
    return Array(lines.filter { seen.insert($0).inserted }.joined().utf8)
  }

  private static func json(_ reports: [VerdictReport]) -> [UInt8] {
    reports.flatMap { BudgetList(app: $0.app, results: $0.results, incidents: $0.incidents).json() }
  }
}

extension VerdictFormatter {
  /// JUnit XML with a suite per app and a case per budget: failed if broken, skipped without enough data.
  static func junit(_ reports: [VerdictReport]) -> String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plumb\">\n"
    for report in reports {
      let failures = report.results.count { $0.verdict == .broken }
      let skipped = report.results.count { $0.verdict == .notEnoughData }
      text += "  <testsuite name=\"\(XMLText.escaped(report.app))\""
      text += " tests=\"\(report.results.count)\" failures=\"\(failures)\" skipped=\"\(skipped)\">\n"
      for result in report.results { text += testCase(result, app: report.app) }
      text += "  </testsuite>\n"
    }
    return text + "</testsuites>\n"
  }

  private static func testCase(_ result: BudgetResult, app: String) -> String {
    let scope = result.scope.map { " [\($0)]" } ?? ""
    let start = "    <testcase classname=\"\(XMLText.escaped(app))\" name=\"\(XMLText.escaped(result.budget + scope))\""
    let message = XMLText.escaped(line(result, app: app))
    switch result.verdict {
    case .broken: return "\(start)><failure message=\"\(message)\"/></testcase>\n"
    case .notEnoughData: return "\(start)><skipped message=\"\(message)\"/></testcase>\n"
    case .warning: return "\(start)><system-out>\(message)</system-out></testcase>\n"
    case .within: return "\(start)/>\n"
    }
  }
}

extension VerdictFormatter {
  /// A pull-request comment: the number of each verdict, then a table in which broken budgets are bold.
  private static func markdown(_ report: VerdictReport) -> String {
    let counts = [Verdict.broken, .warning, .within, .notEnoughData].compactMap { verdict -> String? in
      let count = report.results.count { $0.verdict == verdict }
      return count == 0 ? nil : "\(count) \(word(verdict).lowercased())"
    }
    let sum = counts.isEmpty ? "no budgets were judged" : counts.joined(separator: ", ")
    var text = "**\(Markdown.escaped(report.app))**: \(sum).\n"
    guard !report.results.isEmpty else { return text }
    text += "\n" + Markdown.row(["Verdict", "Metric", "Measured", "Budget", "On"]) + "|---|---|---|---|---|\n"
    var seen: Set<String> = []
    for result in report.everything {
      let note = result.explanation.map { " \($0)" } ?? ""
      let cells = [
        word(result.verdict).lowercased() + note, title(result),
        result.value == nil ? Quantity.unknown : value(result), budget(result), place(result),
      ].map(Markdown.escaped)
      let row = Markdown.row(result.verdict == .broken ? cells.map { "**\($0)**" } : cells)
      if seen.insert(row).inserted { text += row }
    }
    return text
  }
}
