import Foundation
import Testing
import TestSupport

@Suite("plumb budgets")
struct BudgetsCommandTests {
  @Test("budgets init writes a file that lint accepts, and overwrites only on request")
  func initialize() throws {
    let stage = try Stage()
    let written = try stage.run("budgets", "init", "--app", "com.example.shop")
    #expect(written.succeeded, "\(written.errors)")
    let file = stage.folder + "/budgets.yaml"
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("\napp: com.example.shop\n"))
    let checked = try stage.run("budgets", "lint", "budgets.yaml")
    #expect(checked.succeeded && checked.output == "30 budgets\n", "\(checked.output)")
    try stage.write("mine", to: "budgets.yaml")
    let again = try stage.run("budgets", "init")
    #expect(again.ending == .exit(64) && again.errors.contains("--force"), "\(again.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    #expect(try stage.run("budgets", "init", "--force").succeeded)
    #expect(try stage.run("budgets", "init", "--out", "-").output == String(contentsOfFile: file, encoding: .utf8))
    #expect(try stage.run("budgets", "init", "--app", "two words").ending == .exit(64))
    #expect(try stage.run("budgets", "init", "--out", "no/such/folder.yaml").ending == .exit(1))
    // No data folder was made for it.
    #expect(!FileManager.default.fileExists(atPath: stage.data))
  }

  @Test("budgets lint prints each error with its line and a caret, and exits with 1")
  func errors() throws {
    let stage = try Stage()
    try stage.write("budgets:\n  - p90 screen.load <= 1 s\n  - p90 screen.load <= 1 s, on iOS x\n", to: "bad.yaml")
    let told = try stage.run("budgets", "lint", "bad.yaml")
    #expect(told.ending == .exit(1))
    #expect(
      told.output == """
        bad.yaml:3:36: expected a version such as 17 or 17.2, found "x"
          - p90 screen.load <= 1 s, on iOS x
                                           ^

        """)
    for missing in ["none.yaml", "."] {
      let told = try stage.run("budgets", "lint", missing)
      #expect(told.ending == .exit(1) && told.errors.contains(missing), "\(told)")
    }
  }

  @Test("an unknown metric is a lint warning, or an error if strict, and the file may come from a pipe")
  func warnings() throws {
    let stage = try Stage()
    let yaml = "budgets:\n  - p90 screens.loaded <= 1 s\n"
    let told = try stage.run("budgets", "lint", "-", input: yaml)
    #expect(told.succeeded && told.output.hasSuffix("\n1 budget\n"), "\(told.output)")
    #expect(told.output.hasPrefix("-:2:9: warning: "))
    #expect(try stage.run("budgets", "lint", "--strict", "-", input: yaml).ending == .exit(1))
    let quoted = try stage.run(
      "budgets", "lint", "--strict", "-", input: "budgets:\n  - p90 \"screens.loaded\" <= 1 s\n")
    #expect(quoted.output == "1 budget\n")
  }

  @Test("check names the slice of its finding, and a missing slice that is required")
  func slices() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let documents = (0..<60).map { Payload.native(Payload.measurements("screen.load", [410 + $0 % 40])) }
    try stage.write(documents.joined(separator: "\n"), to: "fleet.ndjson")
    try #require(try stage.run("import", "fleet.ndjson", "--app", Payload.app).succeeded)
    try stage.write(
      "budgets:\n  - p50 screen.load <= 300 ms, on iOS >= 9\n  - p50 screen.load <= 1 s, on iOS <9, require data\n",
      to: "own.yaml")
    let told = try stage.run("check", "--stateless", "--budgets", "own.yaml")
    #expect(told.ending == .exit(2), "\(told.output)")
    #expect(told.output.contains("[production, 4.2.0 (1234) · iOS >= 9, "), "\(told.output)")
    #expect(told.output.contains("No data for 4.2.0 (1234) · iOS <9."), "\(told.output)")
  }
}
