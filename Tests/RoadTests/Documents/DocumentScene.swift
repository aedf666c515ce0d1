import Foundation
import Testing
import TestSupport

/// A stage with everything that commands in documents name: a fleet, budgets, files to send, symbols, and stand-ins for the
/// programs of an administrator.
final class DocumentScene {
  // In the order in which a document may use them: each is a file that exists, a real id, or a folder of the stage.
  private var replacements: [(String, String)] = []
  private let stage: Stage
  private let sink: Sink
  private var token = ""
  private var server: ServerProcess?

  /// One run of `plumb` by a block.
  struct Invocation {
    let words: [String]
    /// The exit status; nil if it was only recorded.
    let status: Int?
    let errors: String
  }

  /// What a block did.
  struct Outcome {
    let ending: Ending?
    let errors: String
    let invocations: [Invocation]
  }

  /// A scene that only records the words of each command.
  init() throws {
    stage = try Stage()
    sink = Sink { _, _ in .status(200) }
    try writePrograms()
    try FileManager.default.createDirectory(atPath: stage.folder + "/docs", withIntermediateDirectories: true)
  }

  /// Fills the scene, so that commands can be run.
  func fill() throws {
    try stage.fillWithDemo(users: 60)
    let fixtures = Checkout.path("Tests/SymbolsTests/Fixtures")
    let experiment = ["control", "new-cart"].flatMap { arm in
      (0..<60).map { phone in
        Payload.native(
          "\"attributes\":{\"experiment\":\"\(arm)\"}",
          Payload.measurements("launch.first_draw", (0..<5).map { 500 + (phone * 5 + $0) % 100 })
        ).replacing("someone", with: "person-\(arm)-\(phone)")
      }
    }
    try require("app", "settings", Payload.app, "--attribute", "experiment")
    try stage.write(experiment.joined(separator: "\n"), to: "experiment.ndjson")
    try require("import", "experiment.ndjson", "--app", Payload.app)
    try stage.write("budgets:\n  - p90 launch.first_draw <= 2 s\n", to: "budgets.yaml")
    try stage.write(Payload.native(Payload.sessions(["a"])), to: "payload.json")
    try stage.write(Payload.native(Payload.sessions(["b"])), to: "monday.ndjson")
    try stage.write(Self.appStoreConnect, to: "performance.json")
    try stage.write("correct horse battery staple\n", to: "password")
    for name in ["build/Shop.xcarchive/dSYMs", "symbols", "backup"] {
      try FileManager.default.createDirectory(atPath: stage.folder + "/" + name, withIntermediateDirectories: true)
    }
    try FileManager.default.copyItem(
      atPath: fixtures + "/Till.dSYM", toPath: stage.folder + "/build/Shop.xcarchive/dSYMs/Till.dSYM")
    try FileManager.default.copyItem(
      atPath: fixtures + "/Receipts.dSYM/Contents/Resources/DWARF/Receipts", toPath: stage.folder + "/Shop.app.dSYM.zip"
    )
    try FileManager.default.copyItem(atPath: fixtures + "/Till.dSYM", toPath: stage.folder + "/symbols/Till.dSYM")
    let channel = "url: \"http://127.0.0.1:\(sink.port)/\", allow-private: true"
    try stage.write(
      try Checkout.text("deploy/plumb.yaml")
        + "\nalerts:\n  channels:\n    team: { kind: webhook, \(channel) }\n  default: team\n", to: "plumb.yaml")
    try require("symbols", "upload", "build/Shop.xcarchive")
    let uploads = try stage.run("token", "add", "documents-uploads", "--uploads").output
    token = uploads.trimmingCharacters(in: .whitespacesAndNewlines)
    let groups = try JSON(try stage.run("groups", "list", "--app", Payload.app, "--json").output)
    let group = try #require(groups["groups"][0]["id"].text)
    let incident = try #require(try stage.run("incidents", "list").output.prefixMatch(of: /[0-9a-f]+/)?.output)
    replacements = [
      ("/var/lib/plumb", stage.data), ("/backup", stage.folder + "/backup"), ("/etc/plumb", stage.folder),
      ("plumb_…", try stage.addToken("documents")), ("3f2a9c01d4e5b678", group), ("7c11e0a94d02b3f6", String(incident)),
      ("4C4C443A-5555-3144-A170-E8FD87173FF7", "4C4C445C-5555-3144-A1FA-E3FB6B3BE1DB"),
    ]
    try FileManager.default.moveItem(atPath: stage.data, toPath: stage.folder + "/fleet")
  }

  /// Puts the data folder back as it was after `fill`.
  func reset() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: stage.folder)
    where name.hasPrefix("data") || name == "trial" || name == "backup" {
      try FileManager.default.removeItem(atPath: stage.folder + "/" + name)
    }
    try FileManager.default.createDirectory(atPath: stage.folder + "/backup", withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: stage.folder + "/fleet", toPath: stage.data)
  }

  /// Records the words of every `plumb` of a block without running any.
  func record(_ block: ShellBlock) throws -> [Invocation] {
    try play(block.script, flags: [], environment: ["RECORD_ONLY": "1"]).invocations
  }

  /// Runs a block. One that sends something to a server has one; one that adds the app begins with an empty data folder.
  func run(_ block: ShellBlock) throws -> Outcome {
    var (script, environment) = (block.script, ["PLUMB_TOKEN": token])
    if script.contains("plumb.example.com") || script.contains("127.0.0.1:8080") {
      let server = try stage.serve()
      for address in ["https://plumb.example.com", "http://127.0.0.1:8080"] {
        script = script.replacing(address, with: "http://127.0.0.1:\(server.port)")
      }
      self.server = server
    }
    if script.contains("app add \(Payload.app)") { environment["PLUMB_DATA"] = stage.folder + "/data-new" }
    for (shown, real) in replacements { script = script.replacing(shown, with: real) }
    try #require(
      !script.replacing(stage.folder, with: "").contains(/> *\//), "\(block.place) writes outside of the test's folder")
    let outcome = try play(script, flags: ["-e"], environment: environment)
    if let server { #expect(server.stop() == .exit(0)) }
    server = nil
    return outcome
  }

  private func require(_ words: String...) throws {
    let ended = try stage.run(program: Program.plumb, words)
    try #require(ended.succeeded, "\(words): \(ended.errors)")
  }

  private func play(_ script: String, flags: [String], environment: [String: String]) throws -> Outcome {
    let folder = stage.folder + "/runs"
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let file = try stage.write(script, to: "script.sh")
    let own = [
      "PATH": stage.folder + "/bin", "RUNS": folder, "PROGRAM": Program.plumb, "PASSWORD": stage.folder + "/password",
    ]
    let ended = try stage.run(
      program: "/bin/sh", flags + [file], environment: own.merging(environment) { $1 }, limit: 300)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".words") }.sorted()
    let invocations = try names.map { name in
      let base = folder + "/" + name.dropLast(6)
      let words = try String(contentsOfFile: base + ".words", encoding: .utf8).split(
        separator: "\0", omittingEmptySubsequences: false)
      let status = try? String(contentsOfFile: base + ".status", encoding: .utf8)
      let errors = try? String(contentsOfFile: base + ".errors", encoding: .utf8)
      return Invocation(
        words: words.dropLast().map(String.init), status: status.flatMap { Int($0.trimmingCharacters(in: .newlines)) },
        errors: errors ?? "")
    }
    return Outcome(ending: ended.ending, errors: ended.errors, invocations: invocations)
  }

  /// The only programs that a block finds: `plumb` in a script that notes each run, some that are real, and stand-ins that do
  /// nothing or run their command.
  private func writePrograms() throws {
    try program(
      "plumb",
      """
      printf '%s\\0' "$@" > "$RUNS/$$.words"
      [ -z "$RECORD_ONLY" ] || exit 0
      [ "$1 $2" != "user add" ] || exec < "$PASSWORD"
      "$PROGRAM" "$@" 2> "$RUNS/$$.errors"
      status=$?
      echo $status > "$RUNS/$$.status"
      # A verdict is a success of these two.
      case $1:$status in check:[12] | compare:[12]) status=0 ;; esac
      exit $status
      """)
    try program("sudo", "shift 2\nexec \"$@\"")
    try program("systemd-run", "while [ \"$1\" != plumb ]; do shift; done\nexec \"$@\"")
    for name in ["systemctl", "chown", "install", "symx"] { try program(name, "exit 0") }
    for name in ["cat", "mv", "curl"] {
      guard let path = Program.find(name) else { continue }
      try FileManager.default.createSymbolicLink(atPath: stage.folder + "/bin/" + name, withDestinationPath: path)
    }
  }

  private func program(_ name: String, _ body: String) throws {
    let path = try stage.write("#!/bin/sh\n\(body)\n", to: "bin/" + name)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  private static let appStoreConnect = """
    {"productData": [{"platform": "iOS", "metricCategories": [{"identifier": "LAUNCH", "metrics": [
      {"identifier": "launchTime", "unit": {"displayName": "ms"}, "datasets": [{"filterCriteria":
        {"percentile": "percentile.ninety", "device": "all_iphones", "deviceMarketingName": "All iPhones"},
        "points": [{"version": "4.2.0", "value": 1900, "errorMargin": 12.5}]}]}]}]}]}
    """
}
