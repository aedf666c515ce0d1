import Testing

@testable import Analysis

@Suite("Linting budget files")
struct BudgetLintTests {
  private func lint(_ yaml: String) -> [String] { BudgetLint(yaml, fileName: "budgets.yaml").text }

  @Test("lint shows an error with its line and a caret below the position")
  func caret() {
    #expect(
      lint("budgets:\n  - p90 launch.first_draw <= 2 MB\n  - p90 launch.resume <= 1 s\n") == [
        "budgets.yaml:2:32: expected a unit of time after 2, found \"MB\"",
        "  - p90 launch.first_draw <= 2 MB",
        "                               ^",
      ])
  }

  @Test("an unknown metric is a lint warning with a suggestion, unless it is quoted")
  func unknown() {
    #expect(
      lint("budgets:\n  - p90 lanch.frist_drow <= 2 s\n") == [
        "budgets.yaml:2:9: warning: unknown metric \"lanch.frist_drow\"; did you mean "
          + "launch.first_draw? Quote the name if your app sends it",
        "  - p90 lanch.frist_drow <= 2 s",
        "        ^",
      ])
    let own = lint("budgets:\n  - p90 reactor.temperature <= 2 s\n")
    #expect(own.first?.hasSuffix("Quote the name if your app sends it") == true)
    #expect(lint("budgets:\n  - p90 \"reactor.temperature\" <= 2 s\n  - p90 signpost.Net.Load <= 2 s\n") == [])
    #expect(BudgetLint("budgets:\n  - p90 reactor.temperature <= 2 s", fileName: "b").errors.isEmpty)
  }

  @Test("an unknown model is a lint warning, because it may be newer than this version or misspelt")
  func unknownModels() {
    let found = lint("budgets:\n  - p90 launch.resume <= 1 s, on iPhone99,1\n")
    #expect(found.first == "budgets.yaml:2:34: warning: unknown device model \"iPhone99,1\", misspelt or too new")
    #expect(
      lint("budgets:\n  - p90 launch.resume <= 1 s, on iPhone12,*\n  - p90 launch.resume <= 1 s, on iPhone15,2") == [])
  }

  @Test("lint rejects a budget on a plain count, and points at a statistic in capitals")
  func places() {
    #expect(
      lint("budgets:\n  - crash.count <= 5\n").first == "budgets.yaml:2:5: expected a rate or a percentile; "
        + "crash.count is a plain count that grows with use")
    #expect(
      lint("budgets:\n  - P90 launch.resume <= 1 s\n").first
        == "budgets.yaml:2:5: expected p90 in lower case, found \"P90\"")
    #expect(
      lint("budgets:\n  - Mean memory.suspended <= 1 MB\n").first
        == "budgets.yaml:2:5: expected mean in lower case, found \"Mean\"")
  }

  @Test("a byte order mark at the start is not part of a budget file")
  func byteOrderMark() {
    #expect(lint("\u{FEFF}budgets:\n  - p90 launch.resume <= 1 s\n") == [])
    #expect(lint("\u{FEFF}bugdets: []").first?.hasPrefix("budgets.yaml:1:1: unknown key") == true)
  }

  @Test("lint prints no control characters, and shows the part of a long line around the position")
  func hostile() throws {
    let text = lint("budgets:\n- \"p90 launch.resume\t<= \u{85}2 \\x1b[31m\"")
    #expect(text.joined().unicodeScalars.allSatisfy { $0.value >= 32 && !(127...159).contains($0.value) })
    let long = lint("budgets:\n- p90 launch.resume <= 2 s, label \(String(repeating: "x", count: 900)), nonsense")
    #expect(long.count == 3)
    #expect(long[1].unicodeScalars.count <= 160)
    #expect(long[1].unicodeScalars.dropFirst(long[2].unicodeScalars.count - 1).starts(with: "nonsense".unicodeScalars))
  }

  @Test("lint shows the position in a budget file that is not YAML")
  func notYAML() {
    #expect(lint("budgets:\n\t- a")[0].hasPrefix("budgets.yaml:2:1: not valid YAML"))
    #expect(lint("").count == 3)
  }
}
