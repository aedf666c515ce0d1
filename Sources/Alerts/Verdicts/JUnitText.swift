import Health
import Wording

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

  /// Escaped, and without the control characters that XML 1.0 forbids.
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
