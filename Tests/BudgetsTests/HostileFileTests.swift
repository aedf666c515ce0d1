import Testing
import TestSupport

@testable import Analysis

/// A viewer with a read token may send a budget file to the release gate.
@Suite("Hostile budget files")
struct HostileFileTests {
  private static let length = 60_000

  /// Texts of about 60 kB, or few bytes that stand for very much.
  private static let texts: [(name: String, text: String)] = [
    ("aliases as keys", aliases(lines: 12) { "? *a\($0)\n: 1\n" }),
    ("aliases as values", aliases(lines: 12) { "b: *a\($0)\n" }),
    ("aliases in flow", "[&a [x,x,x,x,x,x,x,x,x],{*a :1}]" + String(repeating: "\n", count: 9)),
    ("merged mappings", "a: &a {x: 1}\n" + (0..<3000).map { "b\($0): {<<: *a}\n" }.joined()),
    ("sequences in sequences", String(repeating: "[", count: length)),
    ("mappings in mappings", String(repeating: "{", count: length)),
    ("keys of keys", String(repeating: "{? ", count: length / 3)),
    ("keys of keys, closed", String(repeating: "{? ", count: 900) + "x" + String(repeating: "}", count: 900)),
    ("blocks in blocks", String(repeating: "- ", count: length / 2)),
    ("keys in blocks", String(repeating: "? ", count: length / 2)),
    ("unknown keys", (0..<length / 8).map { "k\($0):\n" }.joined()),
    ("one key again and again", String(repeating: "k: 1\n", count: length / 5)),
    ("many wrong budgets", "app: a.b\nbudgets:\n" + String(repeating: "- p90 x\n", count: length / 8)),
    ("many documents", String(repeating: "---\n", count: length / 4)),
    ("one long budget", "budgets:\n  - \"" + String(repeating: "p90 ", count: length / 4) + "\"\n"),
    ("a folded budget", "budgets:\n  - p90\n" + String(repeating: "    p\n", count: length / 6)),
    ("one long tag", "budgets: !<" + String(repeating: "a", count: length) + "> x\n"),
    ("anchors", (0..<length / 12).map { "- &a\($0) x\n" }.joined()),
    ("comments", String(repeating: "#\n", count: length / 2)),
    ("escapes", "a: \"" + String(repeating: "\\U0001F600", count: length / 10) + "\"\n"),
  ]

  private static func aliases(lines: Int, end: (Int) -> String) -> String {
    let first = "x0: &a0 [y,y,y,y,y,y,y,y,y,y]\n"
    let more = (1...lines).map { line in
      "x\(line): &a\(line) [" + [String](repeating: "*a\(line - 1)", count: 10).joined(separator: ",") + "]\n"
    }
    return first + more.joined() + end(lines)
  }

  @Test("no hostile budget file costs a hundred times a plain file of maximum length", arguments: texts.map(\.name))
  func cost(name: String) throws {
    let text = try #require(Self.texts.first { $0.name == name }).text
    func read(_ text: String) -> Double {
      processorTime { _ = try? BudgetFile.parse(text, fileName: "budgets.yaml", mostBudgets: 200) }
    }
    let lines = (0..<199).map { "  - p\($0 % 98 + 1) launch.first_draw <= \($0 + 1) s\n" }.joined()
    let plain = "app: com.example.shop\nbudgets:\n" + lines
    let padded = plain + String(repeating: "# a line of a comment\n", count: (Self.length - plain.utf8.count) / 22)
    let usual = (0..<3).map { _ in read(padded) }.min() ?? 0
    let found = (0..<2).map { _ in read(text) }.min() ?? 0
    #expect(found < 100 * max(usual, 0.002))
  }

  @Test("a condition that no version meets is refused, alone or with another", arguments: ["iOS <0", "iOS < 0.0"])
  func impossibleVersion(condition: String) throws {
    for clauses in ["on \(condition)", "on iOS >= 16, on \(condition)"] {
      let file = "budgets:\n  - p90 launch.first_draw <= 3 s, \(clauses)\n"
      let errors = #expect(throws: BudgetErrors.self) { try BudgetFile.parse(file, fileName: "b.yaml") }
      #expect(errors?.description.contains("that a version can meet") == true, "\(errors?.description ?? "")")
    }
  }

  @Test("a YAML alias is refused with its line and column, but not a text that only looks like one")
  func aliases() {
    func refusal(_ text: String) -> String {
      do throws(BudgetErrors) {
        _ = try BudgetFile.parse(text, fileName: "b.yaml")
        return "accepted"
      } catch { return error.description }
    }
    #expect(
      refusal("app: &id com.example.shop\nbudgets: [*id]\n")
        == "b.yaml:2:11: aliases such as *name are not supported; write the value itself")
    #expect(
      refusal("app: &id com.example.shop\nbudgets: [\"é🙂\", *id]\n")
        == "b.yaml:2:17: aliases such as *name are not supported; write the value itself", "characters, not bytes")
    #expect(refusal("app: com.example.shop\nbudgets:\n  - p90 memory.peak <= 300 MB, on iPhone12,*\n") == "accepted")
    #expect(refusal("# R &D\napp: com.example.shop\nbudgets:\n  - p90 memory.peak <= 300 MB\n") == "accepted")
  }
}
