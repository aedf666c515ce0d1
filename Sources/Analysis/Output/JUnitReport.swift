/// JUnit XML for build servers: one suite with a test case for each judged metric.
enum JUnitReport {
  enum Outcome {
    case passed
    case failure(String)
    case skipped(String)
    /// Passed, with a text.
    case output(String)
  }

  /// `app`: the class name of the cases.
  static func text(_ name: String, app: String, _ cases: [(name: String, outcome: Outcome)]) -> String {
    let failures = cases.count { if case .failure = $0.outcome { true } else { false } }
    let skipped = cases.count { if case .skipped = $0.outcome { true } else { false } }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plumb\">\n"
    text += "  <testsuite name=\"\(XMLText.escaped(name))\" tests=\"\(cases.count)\" failures=\"\(failures)\""
    text += " skipped=\"\(skipped)\">\n"
    for (name, outcome) in cases {
      text += "    <testcase classname=\"\(XMLText.escaped(app))\" name=\"\(XMLText.escaped(name))\""
      switch outcome {
      case .passed: text += "/>\n"
      case .failure(let message): text += "><failure message=\"\(XMLText.escaped(message))\"/></testcase>\n"
      case .skipped(let message): text += "><skipped message=\"\(XMLText.escaped(message))\"/></testcase>\n"
      case .output(let message): text += "><system-out>\(XMLText.escaped(message))</system-out></testcase>\n"
      }
    }
    return text + "  </testsuite>\n</testsuites>\n"
  }
}
