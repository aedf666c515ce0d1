import Testing

@testable import Analysis

/// What `budgets.yaml` with this text is refused with, a line an error.
private func refusal(_ yaml: String) -> String {
  do throws(BudgetErrors) {
    _ = try BudgetFile.parse(yaml, fileName: "budgets.yaml")
    return "accepted"
  } catch {
    return error.description
  }
}

/// What a file whose third line is this budget is refused with. The budget starts in column 5.
private func refusal(of line: String) -> String { refusal("app: com.example.shop\nbudgets:\n  - \(line)\n") }

@Suite("Errors in budget files")
struct BudgetErrorTests {
  @Test(
    "an error in a budget file has line, column, the expected and the found text",
    arguments: [
      ("p90 launch.first_draw <= 2 MB", "32: expected a unit of time after 2, found \"MB\""),
      ("p90 launch.first_draw <= 2", "31: expected a unit of time after 2, found no unit"),
      ("p90 launch.first_draw <= 2MB", "31: expected a unit of time after 2, found \"MB\""),
      ("p90 launch.first_draw < 2 s", "27: expected <= or >=, found \"<\""),
      ("p90 launch.first_draw <= fast", "30: expected a number, found \"fast\""),
      ("p90 launch.first_draw <=", "29: expected a number, found the end of the line"),
      ("p99 swiftui.body <= 1,000 µs", "25: expected a number, found \"1,000\""),
      ("p90 launch.frist_draw <= 2 s", "9: unknown metric \"launch.frist_draw\"; did you mean launch.first_draw?"),
      ("crash_free >= 99 %", "5: unknown metric \"crash_free\"; did you mean sessions.crash_free?"),
      ("launch.first_draw <= 2 s", "5: expected p1 to p99 or mean before launch.first_draw, which is a distribution"),
      ("p90 hang.rate <= 5 s/h", "5: expected no p90 before hang.rate, which is a single number"),
      ("p100 launch.first_draw <= 2 s", "5: expected a percentile from p1 to p99, found \"p100\""),
      ("p0 launch.first_draw <= 2 s", "5: expected a percentile from p1 to p99, found \"p0\""),
      ("p99.9 launch.first_draw <= 2 s", "5: expected a percentile from p1 to p99, found \"p99.9\""),
      ("p90 launch.first_draw >= 2 s", "27: expected <=, found \">=\": lower is better for launch.first_draw"),
      (
        "sessions.crash_free >= 99.5",
        "28: expected a percentage such as 99.5%, or a share from 0 to 1, found \"99.5\""
      ),
      ("sessions.crash_free >= 995 %", "28: expected at most 100 %, found \"995\""),
      ("p90 memory.peak <= 3 MB on iPad*", "26: expected a unit of size after 3, found \"MB on iPad*\""),
      ("p90 launch.resume <= 2 s,on iPad*", "28: expected a unit of time after 2, found \"s,on iPad*\""),
      ("p90 launch.resume <= 2 s, warn at 3 s", "39: expected a warning level below the budget's limit"),
      ("p90 launch.resume <= 2 s, warn 1 s", "36: expected at, found \"1\""),
      ("p90 launch.resume <= 2 s, warn at 1 MB", "41: expected a unit of time after 1, found \"MB\""),
      (
        "p90 launch.resume <= 2 s, an iPad*",
        "31: expected \"warn at\", \"on\", \"in\", \"where\", \"label\", \"over\", \"for last\", \"with adoption\" or \"require data\", found \"an\""
      ),
      (
        "p90 launch.resume <= 2 s,",
        "30: expected \"warn at\", \"on\", \"in\", \"where\", \"label\", \"over\", \"for last\", \"with adoption\" or \"require data\", found the end of the line"
      ),
      ("p90 launch.resume <= 2 s, in a, in b", "37: expected each clause once, found \"in\""),
      ("p90 launch.resume <= 2 s, over 7 w", "36: expected a number of days such as 7 d, found \"7\""),
      ("p90 launch.resume <= 2 s, over 401 d", "36: expected 1 to 400 days, found \"401\""),
      ("p90 launch.resume <= 2 s, over 0 d", "36: expected 1 to 400 days, found \"0\""),
      ("p90 launch.resume <= 2 s, over 99999999999999999999 d", "36: expected a number of days such as 7 d"),
      ("p90 launch.resume <= 2 s, require", "38: expected data, found the end of the line"),
      ("p90 launch.resume <= 2 s, in prod uction", "39: expected a comma or the end of the line, found \"uction\""),
      ("p90 launch.resume <= 2 s, on iPhone 12", "34: expected a model such as iPhone12,1, a pattern"),
      ("p90 launch.resume <= 2 s, on iPhone", "34: expected a model such as iPhone12,1, a pattern"),
      ("p90 launch.resume <= 2 s, on", "33: expected a model such as iPhone12,1, a pattern"),
      ("p90 carts.lost <= 2 parsecs", "25: expected a unit such as ms, MB or % after 2, found \"parsecs\""),
      ("p90 \"carts <= 2 s", "9: expected a closing quotation mark"),
      ("<= 2 s", "5: expected a metric such as launch.first_draw, found \"<=\""),
      ("p90 🚀 <= 2 s", "9: expected a metric such as launch.first_draw, found \"🚀\""),
      ("p90 launch.first_draw <= 🚀", "30: expected a number, found \"🚀\""),
      ("p90 launch.resume <= \(String(repeating: "9", count: 400)) s", "26: expected a number"),
    ])
  func positions(line: String, expected: String) {
    let found = refusal(of: line)
    #expect(found.hasPrefix("budgets.yaml:3:" + expected), "\(found)")
    #expect(!found.contains("\n"))
  }

  @Test("an unknown device in a budget gets a suggestion")
  func suggestions() {
    #expect(refusal(of: "p90 launch.resume <= 2 s, on iPhone 12").hasSuffix("did you mean iPhone 12 and older?"))
    #expect(refusal(of: "p90 launch.resume <= 2 s, on iPhone12").hasSuffix("did you mean iPhone12,*?"))
    #expect(refusal(of: "p90 launch.resume <= 2 s, on Mac Intle").hasSuffix("did you mean Mac Intel?"))
  }

  @Test("every wrong line of a budget file is reported, in order")
  func all() {
    let yaml = """
      apps: com.example.shop
      budgets:
        - p90 launch.first_draw <= 2 MB
        - p90 launch.first_draw <= 2 s
        - {p90: 2}
        - hang.rate <= x
        -
        - p90 launch.first_draw  <=  2 s
      """
    #expect(
      refusal(yaml) == """
        budgets.yaml:1:1: unknown key "apps"; expected app or budgets
        budgets.yaml:3:32: expected a unit of time after 2, found "MB"
        budgets.yaml:5:5: expected a budget such as p90 launch.first_draw <= 2 s, found keys and values
        budgets.yaml:6:18: expected a number, found "x"
        budgets.yaml:7:4: expected a budget such as p90 launch.first_draw <= 2 s, found an empty value
        budgets.yaml:8:5: duplicate of the budget on line 4
        """)
  }

  @Test("columns of errors are right in quoted values and in values that continue on the next line")
  func styles() {
    #expect(refusal("budgets:\n- \"p90 launch.first_draw <= 2 MB\"").hasPrefix("budgets.yaml:2:31: "))
    #expect(refusal("budgets:\n- 'p90 launch.first_draw <= 2 MB'").hasPrefix("budgets.yaml:2:31: "))
    #expect(refusal("budgets:\n- p90 launch.first_draw\n    <= 2 MB").hasPrefix("budgets.yaml:3:10: "))
    #expect(refusal("budgets:\r\n- p90 launch.first_draw\r\n    <= 2 MB\r\n").hasPrefix("budgets.yaml:3:10: "))
    #expect(refusal("budgets:\n- >\n  p90 launch.first_draw <= 2 MB").hasPrefix("budgets.yaml:2:3: "))
  }

  @Test("a file that is not a budget file is refused with a reason and never causes a trap")
  func notBudgets() {
    let cases = [
      ("", "1:1: expected the keys app and budgets, found an empty file"),
      ("just text", "1:1: expected the keys app and budgets, found \"just text\""),
      ("- a\n- b", "1:1: expected the keys app and budgets, found a list"),
      ("app: com.example.shop", "1:1: expected the key budgets"),
      ("budgets: none", "1:10: expected a list of budgets, each after a hyphen, found \"none\""),
      ("budgets:", "1:9: expected a list of budgets"),
      ("app: two words\nbudgets: []", "1:6: expected a bundle identifier such as com.example.shop"),
      ("app: [a]\nbudgets: []", "1:6: expected a bundle identifier such as com.example.shop, found a list"),
      ("budgets: [\n", "2:1: not valid YAML: "),
      ("budgets:\n\t- a", "2:1: not valid YAML: "),
      ("budgets: []\nbudgets: []", "1:1: duplicate key budgets"),
      ("a: *b", "1:4: not valid YAML: "),
      ("budgets: []\n---\nbudgets: []", "2:1: not valid YAML: "),
      ("budgets: \u{1}", "1:10: not valid YAML: "),
      (String(repeating: "[", count: 5000), "1:"),
      (String(repeating: "#", count: 1_100_000), "1:1: the file has 1100000 bytes"),
    ]
    for (yaml, expected) in cases {
      let found = refusal(yaml)
      #expect(found.hasPrefix("budgets.yaml:" + expected), "\(yaml.prefix(40)): \(found.prefix(200))")
    }
  }

  @Test("a truncated or mutated file is refused at a position in it, or read as budgets that can be written again")
  func mutations() throws {
    let yaml = "app: a.b\nbudgets:\n  - p90 launch.first_draw <= 2 s, warn at 1 s, on iPhone12,*, over 7 d\n"
    let scalars = Array(yaml.unicodeScalars)
    var accepted = 0
    var refused = 0
    func check(_ text: String) throws {
      do throws(BudgetErrors) {
        let file = try BudgetFile.parse(text, fileName: "budgets.yaml")
        accepted += 1
        for budget in file.budgets {
          var again = try BudgetFile.parse("budgets:\n  - '\(budget.line)'\n", fileName: "again.yaml").budgets
          #expect(again.count == 1, "\(text): \(budget.line)")
          again[0].text = budget.text
          #expect(again[0] == budget, "\(text): \(budget.line)")
        }
      } catch {
        refused += 1
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(!error.errors.isEmpty, "\(text)")
        for one in error.errors {
          #expect(one.file == "budgets.yaml" && !one.message.isEmpty, "\(text): \(one)")
          #expect((1...lines.count + 1).contains(one.line), "\(text): \(one)")
          #expect((1...scalars.count + 2).contains(one.column), "\(text): \(one)")
        }
      }
    }
    for length in 0...scalars.count {
      try check(String(String.UnicodeScalarView(scalars.prefix(length))))
      for replacement: Unicode.Scalar in [",", "\"", "\u{0}", "-", "9", "\n", "*", "<", "é", "%"] where length > 0 {
        var mutated = scalars
        mutated[length - 1] = replacement
        try check(String(String.UnicodeScalarView(mutated)))
      }
    }
    // Most mutations break the grammar; digits, names and breaks between words do not.
    #expect(accepted > 50 && refused > 300, "\(accepted) accepted, \(refused) refused")
  }
}
