import Foundation
import Testing
import TestSupport

/// The table of docs/deployment.md, each command beside a server that takes payloads all the time.
@Suite("Commands beside a running server", .serialized)
struct BesideTests {
  private static let other = "com.example.other"
  /// For folders whose newest receipt is long ago.
  private static let prune = ["prune", "--clock-is-right"]
  /// The shortest retention periods, so that what was received two months ago has expired.
  private static let short = ["PLUMB_KEEP_DAILY": "35d", "PLUMB_KEEP_DIAGNOSTICS": "8d"]
  private static let longAgo = Date(timeIntervalSinceNow: -60 * 86_400).ISO8601Format()

  private static let recently = String(Date(timeIntervalSinceNow: -3 * 86_400).ISO8601Format().prefix(10))

  /// The commands of the table, and whether each may run beside a server.
  private static func table() throws -> [String: Bool] {
    let page = try Checkout.text("docs/deployment.md")
    let section = try #require(page.components(separatedBy: "## Beside a running server\n").last)
    var found: [String: Bool] = [:]
    for line in section.components(separatedBy: "\n## ")[0].split(separator: "\n") where line.hasPrefix("| `") {
      let columns = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      for name in columns[0].matches(of: /`([a-z]+)`/) { found[String(name.output.1)] = columns[1] == "yes" }
    }
    return found
  }

  /// What is run of each command; those with nothing of their own here only read.
  private static func lines(_ command: String, _ stage: Stage) -> [[String]] {
    let app = ["--app", Payload.app]
    switch command {
    case "app", "user", "token", "silence", "incidents", "nodes": return [[command, "list"]]
    case "budgets": return [["budgets", "lint", "budgets.yaml"]]
    case "alerts": return [["alerts", "channels"]]
    case "groups": return [["groups", "list"] + app]
    case "symbols": return [["symbols", "list"] + app]
    case "report": return [["report"] + app]
    case "rollout": return [["rollout", "--release", "4.3.0", "--base", "4.2.0"] + app]
    case "compare": return [["compare", "--base", "4.2.0", "--head", "4.3.0"] + app]
    case "lab": return [["lab", "--base", "4.2.0", "--head", "4.3.0"] + app]
    case "explain": return [["explain", "group", "0123456789abcdef"] + app]
    case "render": return [["render", "--out", stage.folder + "/site"]]
    case "import":
      return [["import", "later.json", "--app", other], ["import", "old.json", "--app", other, "--now", longAgo]]
    case "delete": return [["delete", "user", "someone", "--app", other, "--yes"]]
    case "prune": return [["prune"], ["prune"]]
    case "backup": return [["backup", "--to", stage.folder + "/copy"]]
    case "verify": return [["verify"], ["verify", "--set-aside"]]
    case "redigest": return [["redigest", "--from", stage.folder + "/backup"]]
    case "restore": return [["restore", "--from", stage.folder + "/backup"]]
    case "store": return [["store", "copy", "--from", stage.data, "--to", "clickhouse://nobody@127.0.0.1:1/none"]]
    case "serve": return [["serve", "--listen", "127.0.0.1:0"]]
    default: return [[command]]
    }
  }

  private static func document(_ prefix: String, _ release: String, sessions: Int) -> String {
    Payload.native(
      Payload.sessions((0..<sessions).map { "\(prefix)-\(release)-\($0)" }),
      Payload.measurements("screen.load", Array(repeating: 100, count: sessions), label: "Cart \(release)"),
      release: release, device: "iPhone\(release)"
    ).replacingOccurrences(of: Payload.app, with: other)
  }

  private func verify(_ stage: Stage) throws {
    let told = try stage.run("verify")
    #expect(told.succeeded, "\(told.output)")
  }

  @Test("every command works next to a server as documented: numbers stay exact, verify is clean, others are refused")
  func table() throws {
    let table = try Self.table()
    let stage = try Stage()
    let help = try stage.run("--help").output
    let list = try #require(help.range(of: "SUBCOMMANDS:\n"))
    let known = help[list.upperBound...].split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
      .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap {
        $0.split(separator: " ").first.map { String($0).replacing(",", with: "") }
      }
    // The last three have folders of their own.
    #expect(Set(table.keys) == Set(known).subtracting(["help", "demo", "ingest", "promote"]))
    let key = try stage.addApp()
    let otherKey = try stage.addApp(Self.other)
    let server = try stage.serve(environment: Self.short)
    try stage.write("budgets:\n  - sessions.crash_free >= 97%\n", to: "budgets.yaml")
    #expect(Payload.post(Payload.native(release: "4.3.0"), to: server, key: key) == 202)
    try stage.write(Self.document("old", "1.0", sessions: 20), to: "old.json")
    try stage.write(Self.document("later", "1.0", sessions: 30), to: "later.json")
    #expect(try stage.run("backup", "--to", stage.folder + "/backup").succeeded)
    // Names that are in use, known to the server, and past their time for whoever prunes.
    #expect(try stage.run("import", "old.json", "--app", Self.other, "--now", Self.longAgo).succeeded)
    let load = Load(key: key)
    load.aim(at: server)
    let crew = load.start(clients: 3)
    // Until a new record is in the numbers, the newest receipt is that of the import, and `check` doubts the clock.
    let recent = Int(Date(timeIntervalSinceNow: -86_400).timeIntervalSince1970) * 1000
    #expect(
      try eventually {
        (try SQLFile.number("SELECT max(newest) FROM clock", in: stage.data + "/plumb.db") ?? 0) > recent
      })
    for (command, mayRun) in table.sorted(by: { $0.key < $1.key }) {
      for line in Self.lines(command, stage) {
        let told = try stage.run(program: Program.plumb, line, environment: Self.short)
        if ["render", "compare", "rollout", "lab", "explain"].contains(command) {
          // Whether there is something to show is not the question here.
          #expect(!told.errors.contains("locked") && !told.errors.contains("is using"), "\(line): \(told)")
        } else if mayRun {
          #expect(told.ending == .exit(0), "\(line): \(told)")
        } else {
          #expect(told.ending == .exit(command == "serve" ? 1 : 2), "\(line): \(told)")
          #expect(told.errors.contains(command == "restore" ? "is not empty" : "is using"), "\(line): \(told.errors)")
        }
      }
    }
    // What was deleted, imported and pruned before comes back.
    for release in ["9.9", "1.0"] {
      #expect(Payload.post(Self.document("back", release, sessions: 100), to: server, key: otherKey) == 202)
    }
    load.end()
    #expect(crew.wait(seconds: 120))
    #expect(server.stop() == .exit(0))
    try load.ledger.expectExactly(in: stage)
    for release in ["9.9 (1234)", "1.0 (1234)"] {
      let report = try stage.report("--release", release, "--from", Self.recently, of: Self.other)
      #expect(report.metric("screen.load")["n"].integer ?? 0 >= 100, "\(release)")
    }
    try verify(stage)
  }

  @Test("data deleted by a prune next to the server returns complete, even if the prune is killed halfway")
  func prunedNames() throws {
    let stage = try Stage()
    let key = try stage.addApp(Self.other)
    let server = try stage.serve(environment: Self.short)
    let rounds = 3
    for round in 0..<rounds {
      let releases = (0..<4).map { "\(round).\($0)" }
      for release in releases {
        try stage.write(Self.document("old", release, sessions: 20), to: "old/\(release).json")
      }
      #expect(try stage.run("import", "old", "--app", Self.other, "--now", Self.longAgo).succeeded)
      // The server has counted them, and knows the ids of their names.
      #expect(
        try eventually {
          try SQLFile.number("SELECT count(*) FROM release WHERE version = '\(round).3'", in: stage.data + "/plumb.db")
            == 1
        })
      if round == 0 {
        #expect(try stage.run(program: Program.plumb, Self.prune, environment: Self.short).succeeded)
      } else {
        let prune = try stage.start(Self.prune, environment: Self.short)
        usleep(UInt32(round) * 80_000)
        prune.signal(SIGKILL)
        _ = prune.waitFor(seconds: 10)
      }
      try FileManager.default.removeItem(atPath: stage.folder + "/old")
      for release in ["n\(round)"] + releases {
        #expect(Payload.post(Self.document("new", release, sessions: 100), to: server, key: key) == 202)
      }
    }
    #expect(server.stop() == .exit(0))
    for round in 0..<rounds {
      for release in ["n\(round)", "\(round).3"] {
        // Each filter alone is a sum of its own, and both together are rows of cells.
        let filters = [["--release", "\(release) (1234)"], ["--device", "iPhone\(release)"]]
        for flags in filters + [filters.flatMap(\.self)] {
          let told = try stage.run(
            program: Program.plumb,
            ["report", "--app", Self.other, "--format", "json", "--from", Self.recently] + flags)
          let report = try JSON(told.output)
          #expect(report["sessions"]["total"].integer == 100, "\(flags)")
          #expect(report.metric("screen.load")["n"].integer == 100, "\(flags)")
        }
      }
    }
    try verify(stage)
  }

  @Test("two commands at the same time, without a server, lose nothing either")
  func eachOther() throws {
    let stage = try Stage()
    _ = try stage.addApp(Self.other)
    for number in 0..<12 {
      try stage.write(Self.document("old", "1.\(number)", sessions: 10), to: "old/\(number).json")
      try stage.write(Self.document("new", "1.\(number)", sessions: 10), to: "new/\(number).json")
    }
    #expect(try stage.run("import", "old", "--app", Self.other, "--now", Self.longAgo).succeeded)
    var running: [Child] = []
    for line in [
      Self.prune, ["import", "new", "--app", Self.other], Self.prune, ["verify", "--set-aside"],
      ["delete", "user", "nobody", "--app", Self.other, "--yes"],
      ["delete", "user", "no-one", "--app", Self.other, "--yes"],
    ] {
      running.append(try stage.start(line, environment: Self.short))
      usleep(30_000)
    }
    for child in running { #expect(child.waitFor(seconds: 60) == .exit(0), "\(child.errors)") }
    let report = try stage.report("--from", Self.recently, of: Self.other)
    #expect(report["sessions"]["total"].integer == 120)
    for number in 0..<12 {
      #expect(
        try stage.report("--release", "1.\(number) (1234)", "--from", Self.recently, of: Self.other)
          .metric("screen.load")["n"].integer == 10)
    }
    try verify(stage)
  }
}
