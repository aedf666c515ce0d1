public import Health
import Storage
import Telemetry
import Wording

/// Formats verdicts as plain text, JSON, JUnit XML and GitHub annotations.
public enum VerdictFormatter {
  /// One line for every verdict of all apps, also for budgets that are met.
  public static func everything(_ reports: [VerdictReport]) -> [UInt8] { lines(reports, \.everything) { "\($1)\n" } }

  /// The findings of all apps in one format. Plain text is empty when there are no findings.
  public static func text(_ reports: [VerdictReport], _ format: VerdictFormat) -> [UInt8] {
    switch format {
    case .text: lines(reports) { "\($1)\n" }
    case .github:
      lines(reports) { result, line in "::\(level(result)) title=\(property(title(result)))::\(message(line))\n" }
    case .json: json(reports)
    case .junit: Array(junit(reports).utf8)
    }
  }

  /// One line with metric, slice, value, interval, n and budget.
  ///
  ///     BROKEN com.example.shop: p90 launch.first_draw is 2.31 s (2.27–2.36 s at 95 %, n 20,311), at least 2.28 s, 95 % sure, budget <= 2 s [production, 2026-10-24 to 2026-11-20]
  public static func line(_ result: BudgetResult, app: String) -> String {
    let note = result.explanation.map { " \($0)" } ?? ""
    return "\(word(result)) \(app): \(statement(result))\(note)"
  }

  /// The verdict and the statement: `BROKEN: p90 launch.first_draw is 2.31 s …`
  static func summary(_ result: BudgetResult) -> String { "\(word(result)): \(statement(result))" }

  /// The measured value, the slice, and the budget, without the verdict.
  static func statement(_ result: BudgetResult) -> String {
    let hasInterval = result.low != nil || result.high != nil
    let bounds = hasInterval ? "\(Quantity.interval(result.estimate, result.unit)) at 95\u{A0}%, " : ""
    let number = Quantity.text(result.estimate, result.unit)
    // So few groups do not show how alike the events of one phone are: there is no interval, and the text says so.
    let basis = result.basis == .events && result.n > 0 ? " of fewer than 10 \(groups(of: result))" : ""
    let value = "\(number) (\(bounds)n \(Decimal.grouped(result.n))\(basis))\(result.boundText.map { ", \($0)" } ?? "")"
    let window = "\(result.window.from.iso) to \(result.window.to.iso)"
    let reading = result.value == nil ? "has no value" : "is \(value)"
    return "\(title(result)) \(reading), budget \(budget(result)) [\(scope(result)), \(window)]"
  }

  private static func groups(of result: BudgetResult) -> String {
    result.metric.hasPrefix("sessions.") || result.metric.hasPrefix("users.") ? "user-days" : "payloads"
  }

  /// The environment, `production` included, and the release, device and other conditions of a result.
  private static func scope(_ result: BudgetResult) -> String {
    let isProduction = result.slice.environment == "production"
    return [isProduction ? "production" : nil, result.fullScope].compactMap { $0 }.joined(separator: ", ")
  }

  private static func title(_ result: BudgetResult) -> String {
    [result.statistic, result.metric].compactMap { $0 }.joined(separator: " ")
  }

  private static func budget(_ result: BudgetResult) -> String {
    let sign = result.direction == .lower ? "<=" : ">="
    guard result.verdict == .warning, let warning = result.warnTarget else {
      return "\(sign) \(Quantity.limit(result.target, result.unit))"
    }
    return "\(sign) \(Quantity.limit(result.target, result.unit)), warn at \(Quantity.limit(warning, result.unit))"
  }

  private static func word(_ result: BudgetResult) -> String {
    switch result.verdict {
    case .broken: "BROKEN"
    case .warning: "WARNING"
    case .notEnoughData: "NOT ENOUGH DATA"
    case .within: "WITHIN"
    }
  }

  private static func level(_ result: BudgetResult) -> String { result.verdict == .broken ? "error" : "warning" }

  /// Removes repeated lines: budgets that name different releases can give the same verdict on one release.
  private static func lines(
    _ reports: [VerdictReport], _ shown: (VerdictReport) -> [BudgetResult] = \.findings,
    _ form: (BudgetResult, String) -> String
  ) -> [UInt8] {
    var seen: Set<String> = []
    let lines = reports.flatMap { report in shown(report).map { form($0, line($0, app: report.app)) } }
    return Array(lines.filter { seen.insert($0).inserted }.joined().utf8)
  }

  private static func json(_ reports: [VerdictReport]) -> [UInt8] {
    reports.flatMap { BudgetResult.json($0.results, incidents: $0.incidents, app: $0.app) }
  }

  /// Escapes a message of a GitHub workflow command.
  private static func message(_ text: String) -> String { escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A"]) }

  /// Escapes a property of a GitHub workflow command, which a comma or a colon would end. Messages must not escape
  /// those.
  private static func property(_ text: String) -> String { escaped(message(text), [",": "%2C", ":": "%3A"]) }

  private static func escaped(_ text: String, _ codes: [Unicode.Scalar: String]) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let code = codes[scalar] { escaped.append(contentsOf: code.unicodeScalars) } else { escaped.append(scalar) }
    }
    return String(escaped)
  }
}

extension VerdictFormatter {
  /// JUnit XML: a suite per app, a case per budget; broken is a failure, not enough data is skipped.
  static func junit(_ reports: [VerdictReport]) -> String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plumb\">\n"
    for report in reports {
      let failures = report.results.count { $0.verdict == .broken }
      let skipped = report.results.count { $0.verdict == .notEnoughData }
      text += "  <testsuite name=\"\(xml(report.app))\" tests=\"\(report.results.count)\" failures=\"\(failures)\""
      text += " skipped=\"\(skipped)\">\n"
      for result in report.results { text += testCase(result, app: report.app) }
      text += "  </testsuite>\n"
    }
    return text + "</testsuites>\n"
  }

  private static func testCase(_ result: BudgetResult, app: String) -> String {
    let scope = result.scope.map { " [\($0)]" } ?? ""
    let start = "    <testcase classname=\"\(xml(app))\" name=\"\(xml(result.budget + scope))\""
    let message = xml(line(result, app: app))
    switch result.verdict {
    case .broken: return "\(start)><failure message=\"\(message)\"/></testcase>\n"
    case .notEnoughData: return "\(start)><skipped message=\"\(message)\"/></testcase>\n"
    case .warning: return "\(start)><system-out>\(message)</system-out></testcase>\n"
    case .within: return "\(start)/>\n"
    }
  }

  /// Escapes text for XML 1.0 and removes the control characters that it forbids.
  private static func xml(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\u{FFFE}", "\u{FFFF}": break
      default: if scalar.value >= 0x20 { escaped.unicodeScalars.append(scalar) }
      }
    }
    return escaped
  }
}
