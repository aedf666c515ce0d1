import Foundation
import Testing
import TestSupport

extension Stage {
  /// A stage with two releases of 60 phones each; screens of the newer one take 400 ms longer. Testers have 4.3.0.
  fileprivate static func ofTwoReleases() throws -> Stage {
    let stage = try Stage()
    _ = try stage.addApp()
    let fleets = [("4.1.0", 0, "production"), ("4.2.0", 400, "production"), ("4.3.0", 100, "testflight")]
    let lines = fleets.flatMap { release, offset, environment in
      (0..<60).map { phone in
        let values = (0..<5).map { 500 + offset + (phone * 5 + $0) % 100 }
        return Payload.native(
          "\"environment\":\"\(environment)\"", Payload.measurements("screen.load", values), release: release
        ).replacing("someone", with: "person-\(release)-\(phone)")
      }
    }
    try stage.write(lines.joined(separator: "\n"), to: "fleet.ndjson")
    let taken = try stage.run("import", "fleet.ndjson", "--app", Payload.app)
    try #require(taken.succeeded, "\(taken.errors)")
    try stage.write("budgets:\n  - p90 screen.load <= 700 ms\n", to: "strict.yaml")
    try stage.write("budgets:\n  - p90 screen.load <= 2 s\n", to: "fine.yaml")
    return stage
  }
}

@Suite("Release gates on other machines")
struct GateTests {
  private static let compare = ["compare", "--app", Payload.app, "--base", "4.1.0", "--head", "4.2.0"]

  private static let rollout = ["rollout", "--app", Payload.app, "--release", "4.2.0", "--base", "4.1.0"]

  /// What a build server has: an address, a token, and no data folder.
  private func elsewhere(_ stage: Stage, _ server: ServerProcess, token: String? = nil) throws -> [String: String] {
    [
      "PLUMB_SERVER": "http://127.0.0.1:\(server.port)", "PLUMB_TOKEN": try token ?? stage.addToken("gate"),
      "PLUMB_DATA": "/nonexistent",
    ]
  }

  @Test("compare and check with --server equal those on the data folder, in every format, with either's budgets")
  func same() throws {
    let stage = try Stage.ofTwoReleases()
    let server = try stage.serve()
    let remote = try elsewhere(stage, server)
    let check = ["check", "--app", Payload.app]
    let commands =
      ["json", "junit", "github", "markdown"].map { check + ["--budgets", "strict.yaml", "--format", $0] }
      + ["text", "markdown", "json", "csv", "junit", "github"].flatMap {
        [Self.compare + ["--format", $0], Self.rollout + ["--format", $0]]
      }
      + [
        check + ["--stateless"], check + ["--stateless", "--all", "--budgets", "fine.yaml"],
        check + ["--release", "4.1.0", "--budgets", "strict.yaml"], check + ["--environment", "testflight", "--all"],
        ["check", "--stateless", "--from", "2020-01-01", "--to", "2020-01-02"],
        Self.compare + ["--budgets", "fine.yaml"], Self.compare + ["--os", "iOS 1"],
        check + ["--from", "2026-11-02", "--to", "2026-11-01"], check + ["--budgets", "none.yaml"],
        ["check", "--app", "nobody"], Array(Self.compare.dropLast()) + ["9.9"],
        Self.rollout + ["--budgets", "strict.yaml"], Self.rollout + ["--to", "2020-01-01"],
        ["rollout", "--app", Payload.app], ["rollout", "--app", Payload.app, "--release", "9.9"],
      ]
    for command in commands {
      let (here, there) = try stage.inOneStep {
        (
          try stage.run(program: Program.plumb, command),
          try stage.run(program: Program.plumb, command, environment: remote)
        )
      }
      #expect(here.ending == there.ending, "\(command): \(here) \(there)")
      #expect(here.output == there.output, "\(command)")
      if !command.contains("nobody") { #expect(here.errors == there.errors, "\(command)") }
    }
    let broken = try stage.run(program: Program.plumb, check + ["--budgets", "strict.yaml"], environment: remote)
    #expect(broken.ending == .exit(2) && broken.output.contains("BROKEN \(Payload.app): p90 screen.load"), "\(broken)")
    let fine = try stage.run(program: Program.plumb, check + ["--budgets", "fine.yaml"], environment: remote)
    #expect(fine.ending == .exit(0) && fine.output.isEmpty, "\(fine)")
    let comment = try stage.run(
      program: Program.plumb, check + ["--budgets", "strict.yaml", "--format", "markdown"], environment: remote)
    #expect(comment.output.hasPrefix("**com.example.shop**: 1 broken"), "\(comment.output)")
    #expect(comment.output.contains("\n| **broken** | **p90 screen.load** | **"), "\(comment.output)")
    let worse = try stage.run(
      program: Program.plumb, Self.compare + ["--budgets", "fine.yaml", "--format", "junit"], environment: remote)
    #expect(worse.ending == .exit(2) && worse.output.contains("failures=\"1\""), "\(worse)")
    // Nothing that was sent stays, and no incident opened.
    let left = try FileManager.default.subpathsOfDirectory(atPath: stage.data)
    #expect(!left.contains { $0.hasSuffix(".yaml") })
    #expect(try stage.run("incidents", "list").output.contains("screen.load") == false)
    #expect(server.stop() == .exit(0))
  }

  @Test("plumb check with --server names errors in the sent budget file and then judges nothing")
  func faults() throws {
    let stage = try Stage.ofTwoReleases()
    let server = try stage.serve()
    let remote = try elsewhere(stage, server)
    let files = [
      "budgets:\n  - p90 screen.load <= 2 MB\n", "", "app: com.example.other\nbudgets:\n  - p90 screen.load <= 2 s\n",
    ]
    for text in files {
      try stage.write(text, to: "bad.yaml")
      let command = ["check", "--app", Payload.app, "--stateless", "--budgets", "bad.yaml"]
      let here = try stage.run(program: Program.plumb, command)
      let there = try stage.run(program: Program.plumb, command, environment: remote)
      #expect(there.ending == .exit(3) && there.errors == here.errors && there.output.isEmpty, "\(here) \(there)")
    }
    let many = (1...201).map { "  - p90 screen.load <= \($0 + 1000) ms\n" }.joined()
    try stage.write("budgets:\n" + many, to: "many.yaml")
    let refused = try stage.run("check", "--budgets", "many.yaml", environment: remote)
    #expect(refused.ending == .exit(3) && refused.errors.contains("201 budgets; the limit is 200"), "\(refused)")
    #expect(server.stop() == .exit(0))
  }

  @Test("compare and check with --server need a token for the app, bodies within limits, and known parameters")
  func refused() throws {
    let stage = try Stage.ofTwoReleases()
    _ = try stage.addApp("com.example.other")
    let uploads = try stage.run("token", "add", "ci", "--uploads").output.trimmingCharacters(in: .newlines)
    let other = try stage.run("token", "add", "other", "--scope", "read", "--app", "com.example.other").output
      .trimmingCharacters(in: .newlines)
    let server = try stage.serve()
    for (token, status) in [(uploads, 401), ("plumb_wrong", 401), (other, 404)] {
      let told = try stage.run(
        "check", "--app", Payload.app, environment: try elsewhere(stage, server, token: token))
      #expect(told.ending == .exit(3) && told.errors.contains("the server answered \(status): "), "\(told)")
    }
    let own = [("Authorization", "Bearer \(try stage.addToken())")]
    let client = server.connect()
    let path = "/api/v1/gate/check?app=\(Payload.app)"
    #expect(server.connect().send("POST", path, body: "budgets: []")?.status == 401)
    #expect(client.get(path, own)?.header("Allow") == "POST")
    #expect(client.send("POST", path + "&formt=json", own)?.status == 400)
    #expect(client.send("POST", path + "&all=yes", own)?.status == 400)
    #expect(client.send("POST", "/api/v1/gate/compare?base=1&head=2", own)?.status == 400)
    let long = String(repeating: "#", count: 64 << 10) + "\n"
    #expect(server.connect().send("POST", path, own, body: long)?.status == 413)
    let most = try #require(server.connect().send("POST", path, own, body: String(long.dropFirst())))
    #expect(most.status == 409, "\(most.text)")
    // The name of a file has no line of its own in what is printed.
    let named = client.send("POST", path + "&name=a%0Ab.yaml", own, body: "budgets:\n  - nonsense\n")
    #expect(named?.text.contains("ab.yaml:2:") == true, "\(named?.text ?? "")")
    // Every app that the token may read, and no other.
    let all = try #require(
      client.send("POST", "/api/v1/gate/check?format=json", [("Authorization", "Bearer \(other)")]))
    #expect(try all.status == 200 && !(JSON(all.text)["output"].text ?? "").contains(Payload.app), "\(all.text)")
    let both = try stage.run("check", "--data", "data", "--server", "http://127.0.0.1:\(server.port)", "--token", "x")
    #expect(both.ending == .exit(64) && both.errors.contains("--server and --data"), "\(both)")
    #expect(server.stop() == .exit(0))
  }

  @Test(
    "compare and check with --server trust a custom authority with --ca-file, and no unknown one",
    .enabled(if: RealClients.python != nil))
  func authority() throws {
    let stage = try Stage.ofTwoReleases()
    let made = try stage.run(
      program: "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "ca.pem",
      ])
    try #require(made.succeeded, "\(made.errors)")
    let server = try stage.serve()
    let proxy = try stage.start(
      [RealClients.script("tls_proxy.py"), "ca.pem", "key.pem", String(server.port)],
      program: try #require(RealClients.python))
    try #require(eventually { proxy.output.contains("\n") })
    let address = "https://localhost:\(proxy.output.trimmingCharacters(in: .newlines))"
    let uploads = try stage.run("token", "add", "ci", "--uploads").output.trimmingCharacters(in: .newlines)
    let check = ["check", "--budgets", "strict.yaml", "--server", address, "--token", try stage.addToken()]
    let fixtures = Checkout.path("Tests/SymbolsTests/Fixtures")
    let upload = ["symbols", "upload", fixtures, "--server", address, "--token", uploads]
    #expect(try stage.run(program: Program.plumb, check).ending == .exit(3))
    #expect(try stage.run(program: Program.plumb, check + ["--ca-file", "ca.pem"]).ending == .exit(2))
    #expect(try stage.run(program: Program.plumb, check + ["--ca-file", "none.pem"]).ending == .exit(64))
    #expect(try stage.run(program: Program.plumb, upload).ending == .exit(1))
    #expect(try stage.run(program: Program.plumb, upload + ["--ca-file", "ca.pem"]).succeeded)
    proxy.signal(SIGTERM)
    #expect(server.stop() == .exit(0))
  }
}

/// The recipes of docs/release-gate.md as they stand there, each beside a server.
@Suite("The recipes of the release gate", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/jq")))
struct GateRecipeTests {
  /// The first block of code below a heading.
  private func block(_ heading: String) throws -> String {
    let page = try Checkout.text("docs/release-gate.md")
    let section = try #require(page.range(of: "\n## \(heading)")?.upperBound, "\(heading)")
    let start = try #require(page[section...].range(of: "\n```")?.upperBound)
    let code = page[start...].drop { $0 != "\n" }.dropFirst()
    return String(code[..<(try #require(code.range(of: "```"))).lowerBound])
  }

  /// The commands below a key of a YAML block: `run: COMMAND`, `run: |`, or a list.
  private func commands(_ key: String, in yaml: String) -> [String] {
    let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    func depth(_ line: String) -> Int { line.prefix { $0 == " " }.count }
    return lines.indices.flatMap { index -> [String] in
      let text = lines[index].trimmingCharacters(in: .whitespaces)
      guard text.hasPrefix("\(key):") else { return [] }
      let value = text.dropFirst(key.count + 1).trimmingCharacters(in: .whitespaces)
      if !value.isEmpty, value != "|" { return [value] }
      let below = lines[(index + 1)...].prefix { depth($0) > depth(lines[index]) }
        .map { $0.trimmingCharacters(in: .whitespaces) }
      return value == "|" ? [below.joined(separator: "\n")] : below.map { String($0.dropFirst(2)) }
    }
  }

  @Test("each gate recipe stops releases that are worse than the budgets, and passes others")
  func recipes() throws {
    let stage = try Stage.ofTwoReleases()
    try stage.write(try block("Without `plumb`"), to: "ci/plumb-gate.sh")
    try stage.write(try block("Xcode Cloud"), to: "ci_scripts/ci_pre_xcodebuild.sh")
    try stage.write(try block("fastlane"), to: "fastlane/Fastfile")
    let server = try stage.serve()
    let environment = [
      "PLUMB_SERVER": "http://127.0.0.1:\(server.port)", "PLUMB_TOKEN": try stage.addToken("gate"),
      "GITHUB_STEP_SUMMARY": stage.folder + "/summary.md", "BASE": "4.1.0", "HEAD": "4.2.0",
      "CI_XCODEBUILD_ACTION": "archive", "CI_PRIMARY_REPOSITORY_PATH": stage.folder, "LIVE": "4.2.0",
    ]
    func ends(_ command: String, _ budget: String, _ more: [String: String] = [:]) throws -> Stage.Outcome {
      try stage.write("budgets:\n  - p90 screen.load <= \(budget)\n", to: "budgets.yaml")
      return try stage.run(
        program: "/bin/sh", ["-e", "-c", command], environment: environment.merging(more) { $1 })
    }

    let github = commands("run", in: try block("GitHub Actions"))
    try #require(github.count == 2)
    let annotated = try ends(github[0], "700 ms")
    #expect(annotated.ending == .exit(1) && annotated.output.contains("::error title=p90 screen.load::BROKEN"))
    #expect(try ends(github[0], "2 s").succeeded)
    #expect(try ends(github[0], "2 s, warn at 600 ms").succeeded, "a warning passes")
    #expect(try ends(github[1], "2 s").ending == .exit(1))
    let summary = try String(contentsOfFile: stage.folder + "/summary.md", encoding: .utf8)
    #expect(summary.hasPrefix("4.2.0 against 4.1.0: worse in Screen load (p90)"), "\(summary)")
    #expect(try ends(github[1], "2 s", ["BASE": "4.2.0", "HEAD": "4.1.0"]).succeeded)

    let gitlab = commands("script", in: try block("GitLab"))
    try #require(gitlab.count == 1)
    #expect(try ends(gitlab[0], "700 ms").ending == .exit(2))
    #expect(try String(contentsOfFile: stage.folder + "/plumb.xml", encoding: .utf8).contains("<failure message="))
    #expect(try ends(gitlab[0], "2 s").succeeded)
    #expect(try ends(gitlab[0], "2 s", ["PLUMB_TOKEN": "plumb_wrong"]).ending == .exit(3))

    let xcode = "sh ci_scripts/ci_pre_xcodebuild.sh"
    #expect(try ends(xcode, "600 ms").ending == .exit(1))
    #expect(try ends(xcode, "700 ms").succeeded)
    #expect(try ends(xcode, "600 ms", ["CI_XCODEBUILD_ACTION": "build-for-testing"]).succeeded)
    let unreachable = try ends(xcode, "600 ms", ["PLUMB_SERVER": "http://127.0.0.1:1"])
    #expect(unreachable.succeeded && unreachable.output.contains("Plumb did not judge"), "\(unreachable)")

    if FileManager.default.isExecutableFile(atPath: "/usr/bin/ruby") {
      let lane = "cd fastlane && ruby \(RealClients.script("fastlane_stub.rb")) ./Fastfile"
      // Both releases appeared today, so the server can only say that it is too early.
      let early = try ends(lane, "700 ms")
      #expect(early.succeeded && !early.output.contains("PAUSED"), "\(early)")
      let unjudged = try ends(lane, "700 ms", ["PLUMB_TOKEN": "plumb_wrong"])
      #expect(unjudged.succeeded && unjudged.output.contains("did not judge"), "\(unjudged)")
      try stage.write("exit 2\n", to: "ci/plumb-gate.sh")
      let paused = try ends(lane, "700 ms")
      #expect(paused.ending == .exit(1) && paused.output.contains("PAUSED"), "\(paused)")
      #expect(!(try ends(lane, "700 ms", ["PHASE": "PAUSED"]).output.contains("RESUMED")))
      try stage.write("exit 0\n", to: "ci/plumb-gate.sh")
      let resumed = try ends(lane, "700 ms", ["PHASE": "PAUSED"])
      #expect(resumed.succeeded && resumed.output.contains("RESUMED"), "\(resumed)")
      #expect(try ends(lane, "700 ms").output.contains("RESUMED") == false)
    }
    #expect(server.stop() == .exit(0))
  }
}
