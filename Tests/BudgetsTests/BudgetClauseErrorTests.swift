import Testing

@testable import Analysis

@Suite("Errors in budget clauses")
struct BudgetClauseErrorTests {
  @Test(
    "an error in a clause has line, column and the expected text",
    arguments: [
      ("on iOS", 37, "expected a version such as 17 or 17.2, found the end of the line"),
      ("on iOS <", 39, "expected a version such as 17 or 17.2, found the end of the line"),
      ("on iOS seventeen", 38, "expected a version such as 17 or 17.2, found \"seventeen\""),
      ("on iOS 17.x", 38, "expected a version such as 17 or 17.2, found \"17.x\""),
      ("on iOS 17.", 38, "expected a version such as 17 or 17.2, found \"17.\""),
      ("on iOS == 17", 38, "expected <, <=, >= or >, found \"==\""),
      ("on iOS 17 18", 41, "expected a comma or the end of the line, found \"18\""),
      ("on iOS >= 16, on macOS 14", 48, "expected a second condition on iOS, found \"macOS\""),
      ("on iOS > 17, on iOS < 16", 47, "expected a condition that a version can meet together with iOS >17"),
      ("on iOS <= 16, on iOS >= 17.0", 48, "expected a condition that a version can meet together with iOS <= 16"),
      ("on iOS >= 17, on iOS < 17.0", 48, "expected a condition that a version can meet together with iOS >= 17"),
      ("on iPad*, on iPhone*", 41, "expected at most one clause for devices, found \"on\""),
      ("on Android 14", 34, "expected a model such as iPhone12,1, a pattern such as iPhone12,*, a device class"),
      ("label", 36, "expected a label such as CartView, found the end of the line"),
      ("label , over 7 d", 37, "expected a label such as CartView, found a comma"),
      ("label \"Cart", 37, "expected a closing quotation mark"),
      ("for 3 releases", 35, "expected last, found \"3\""),
      ("for last", 39, "expected 1 to 20 releases, found the end of the line"),
      ("for last 0 releases", 40, "expected 1 to 20 releases, found \"0\""),
      ("for last 99999999999999999999 releases", 40, "expected 1 to 20 releases"),
      ("for last 3 versions", 42, "expected releases, found \"versions\""),
      ("for last 2 release", 42, "expected releases, found \"release\""),
      ("with 10 % adoption", 36, "expected adoption, found \"10\""),
      ("with adoption 10 %", 45, "expected >, found \"10\""),
      ("with adoption < 10 %", 45, "expected >, found \"<\""),
      ("with adoption > 10", 47, "expected a percentage such as 99.5%, or a share from 0 to 1, found \"10\""),
      ("with adoption > 100 %", 47, "expected less than 100 %, found \"100\""),
      ("with adoption > ten", 47, "expected a number, found \"ten\""),
      ("for last release, for last release", 49, "expected each clause once, found \"for\""),
      ("label A, label B", 40, "expected each clause once, found \"label\""),
    ])
  func positions(clause: String, column: Int, expected: String) {
    let yaml = "app: com.example.shop\nbudgets:\n  - p90 launch.resume <= 2 s, \(clause)\n"
    let found = BudgetLint(yaml, fileName: "budgets.yaml").errors
    #expect(found.count == 1)
    #expect(found.first?.line == 3)
    #expect(found.first?.column == column, "\(clause): \(found)")
    #expect(found.first?.message.hasPrefix(expected) == true, "\(clause): \(found)")
  }

  @Test("a budget on a ratio or a rate cannot name a label")
  func labelOfARatio() {
    let found = BudgetLint("budgets:\n- sessions.crash_free >= 99%, label A", fileName: "b").errors
    let expected = "b:2:31: expected no label for sessions.crash_free, which has no labels, found \"label\""
    #expect(found.map(\.description) == [expected])
  }
}
