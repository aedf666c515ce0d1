import Foundation
import Testing
import TestSupport

@Suite("plumb check")
struct CheckTests {
  /// A stage with 400 sessions of as many people, each with a screen that took 410 to 449 ms.
  private func filled() throws -> Stage {
    let stage = try Stage()
    _ = try stage.addApp()
    let documents = (0..<400).map { number in
      Payload.native(Payload.sessions(["s\(number)"]), Payload.measurements("screen.load", [410 + number % 40]))
        .replacingOccurrences(of: "someone", with: "person-\(number)")
    }
    try stage.write(documents.joined(separator: "\n"), to: "fleet.ndjson")
    let taken = try stage.run("import", "fleet.ndjson", "--app", Payload.app)
    try #require(taken.succeeded, "\(taken.errors)")
    return stage
  }

  private func budgets(_ lines: String...) -> String { "budgets:\n" + lines.map { "  - \($0)\n" }.joined() }

  @Test("plumb check is silent and exits 0 if all budgets are met, also next to a running server")
  func well() throws {
    let stage = try filled()
    try stage.write(budgets("p90 screen.load <= 1 s"), to: "good.yaml")
    for server in [nil, try stage.serve()] {
      let checked = try stage.run("check", "--budgets", "good.yaml")
      #expect(checked.ending == .exit(0))
      #expect(checked.output.isEmpty && checked.errors.isEmpty, "\(checked.output)\(checked.errors)")
      _ = server?.stop()
    }
    let told = try stage.run("check", "--budgets", "good.yaml", "--format", "json")
    #expect(told.succeeded)
    let screen = try JSON(told.output)["budgets"].list.first { $0["metric"].text == "screen.load" }
    #expect(screen?["verdict"].text == "within" && screen?["n"].integer == 400)
  }

  @Test("plumb check exits 1 at a warning level or if required data is missing")
  func warning() throws {
    let stage = try filled()
    try stage.write(budgets("p90 screen.load <= 1 s, warn at 200 ms"), to: "warn.yaml")
    let warned = try stage.run("check", "--stateless", "--app", Payload.app, "--budgets", "warn.yaml")
    #expect(warned.ending == .exit(1) && warned.output.hasPrefix("WARNING"), "\(warned.output)")
    try stage.write(budgets("p90 launch.first_draw <= 2 s, require data"), to: "more.yaml")
    let missing = try stage.run("check", "--stateless", "--budgets", "more.yaml")
    #expect(missing.ending == .exit(1) && missing.output.contains("launch.first_draw"), "\(missing.output)")
    try stage.write(budgets("p90 launch.first_draw <= 2 s"), to: "less.yaml")
    #expect(try stage.run("check", "--budgets", "less.yaml").ending == .exit(0))
  }

  @Test("plumb check exits 2 for a broken budget, with one complete line")
  func broken() throws {
    let stage = try filled()
    try stage.write(budgets("p90 screen.load <= 300 ms"), to: "strict.yaml")
    let checked = try stage.run("check", "--stateless", "--budgets", "strict.yaml")
    #expect(checked.ending == .exit(2))
    let lines = checked.output.split(separator: "\n")
    #expect(lines.count == 1, "\(checked.output)")
    for part in ["BROKEN", Payload.app, "p90 screen.load", "production", "4.2.0", "n 400", "<= 300"] {
      #expect(lines.first?.contains(part) == true, "\(part): \(checked.output)")
    }
    for (format, sign) in [("github", "::error "), ("junit", "<failure"), ("json", "\"broken\"")] {
      let told = try stage.run("check", "--budgets", "strict.yaml", "--format", format)
      #expect(told.ending == .exit(2) && told.output.contains(sign), "\(format)")
    }
    // A file in the data folder counts without a flag.
    try stage.write(budgets("p90 screen.load <= 300 ms"), to: "data/budgets/\(Payload.app).yaml")
    #expect(try stage.run("check").ending == .exit(2))
  }

  @Test("plumb check exits 0 for payloads that Xcode simulated, and prints that they are not judged")
  func simulated() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let documents = (0..<100).map { number in
      Payload.native("\"environment\": \"simulated\"", Payload.sessions(["s\(number)"], status: "crashed"))
        .replacingOccurrences(of: "someone", with: "person-\(number)")
    }
    try stage.write(documents.joined(separator: "\n"), to: "simulated.ndjson")
    #expect(try stage.run("import", "simulated.ndjson", "--app", Payload.app).succeeded)
    let quiet = try stage.run("check")
    #expect(quiet.ending == .exit(0) && quiet.output.isEmpty, "\(quiet.output)")
    let told = try stage.run("check", "--stateless", "--all")
    #expect(told.ending == .exit(0) && told.output.contains("Simulated payloads are not judged."), "\(told.output)")
    let report = try JSON(try stage.run("report", "--app", Payload.app, "--format", "json").output)
    #expect(report["judgement"]["advice"].text == "wait" && report["sessions"]["crashed"].integer == 100)
  }

  @Test("the worst of several apps determines check's exit code", arguments: ["aaa.example.fine", "zzz.example.fine"])
  func severalApps(fine: String) throws {
    let stage = try filled()
    _ = try stage.addApp(fine)
    let documents = (0..<200).map { number in
      Payload.native(Payload.measurements("screen.load", [100 + number % 20])).replacing(Payload.app, with: fine)
    }
    try stage.write(documents.joined(separator: "\n"), to: "fine.ndjson")
    #expect(try stage.run("import", "fine.ndjson", "--app", fine).succeeded)
    try stage.write(budgets("p90 screen.load <= 300 ms"), to: "strict.yaml")
    let strict = ["check", "--stateless", "--budgets", "strict.yaml"]
    #expect(try stage.run(program: Program.plumb, strict + ["--app", fine]).ending == .exit(0))
    #expect(try stage.run(program: Program.plumb, strict).ending == .exit(2))
  }

  @Test("plumb check exits 3 if it cannot evaluate, with the reason")
  func cannot() throws {
    let stage = try Stage()
    #expect(try stage.run("check").ending == .exit(3), "no folder")
    _ = try stage.addApp()
    let silent = try stage.run("check")
    #expect(silent.ending == .exit(3) && silent.errors.contains("no data"))
    #expect(try stage.run("check", "--app", "nobody").ending == .exit(3))
    #expect(try stage.run("check", "--budgets", "none.yaml").ending == .exit(3))
    try stage.write(budgets("p90 screen.load <= 1 s", "p90 screen.laod << 1 s"), to: "wrong.yaml")
    let wrong = try stage.run("check", "--budgets", "wrong.yaml")
    #expect(wrong.ending == .exit(3))
    #expect(wrong.errors.contains(#/wrong\.yaml:3:\d+: /#), "\(wrong.errors)")
    #expect(wrong.output.isEmpty)
  }

  @Test("plumb check exits 3 for a database of another version, like every reading command")
  func otherSchema() throws {
    let stage = try filled()
    try SQLFile.run("INSERT INTO migration (position, name) VALUES (99, 'v099_later')", in: stage.data + "/plumb.db")
    #expect(try stage.run("check").ending == .exit(3))
    for command in [
      ["report", "--app", Payload.app], ["render", "--out", "site"], ["import", "fleet.ndjson", "--app", Payload.app],
    ] {
      let refused = try stage.run(program: Program.plumb, command)
      #expect(refused.ending == .exit(3) && refused.errors.contains("v099_later"), "\(command) \(refused)")
    }
    let refused = try stage.run("serve", "--listen", "127.0.0.1:0", limit: 600)
    #expect(refused.ending != nil && refused.ending != .exit(0) && refused.errors.contains("v099_later"))
  }

  @Test("plumb check exits 64 for a usage error")
  func usage() throws {
    let stage = try filled()
    for wrong in [
      ["--bugdets", "x"], ["--format", "xml"], ["--from", "yesterday"], ["--from", "2026-02-02", "--to", "2026-01-01"],
    ] {
      let refused = try stage.run(program: Program.plumb, ["check"] + wrong)
      #expect(refused.ending == .exit(64), "\(wrong)")
      #expect(!refused.errors.isEmpty && refused.output.isEmpty)
    }
  }
}
