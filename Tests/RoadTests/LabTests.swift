import Foundation
import Testing
import TestSupport

@Suite("Performance tests beside the field")
struct LabTests {
  /// What `xcresulttool` prints after one run: a launch and a signpost, in seconds. Invented.
  private static func metrics(launch: Double, cart: Double = 0.2, device: String = "iPhone 15 Pro") -> String {
    func metric(_ identifier: String, _ title: String, _ value: Double) -> String {
      let values = [value, value * 1.02, value * 0.99].map { "\($0)" }.joined(separator: ", ")
      return """
        {"identifier": "com.apple.dt.XCTMetric_\(identifier)", "displayName": "\(title)", "unitOfMeasurement": "s",
         "polarity": "prefers smaller", "measurements": [\(values)]}
        """
    }
    return """
      [{"testIdentifier": "ShopTests/test<Launch>()", "testRuns": [{
        "device": {"deviceId": "1", "deviceName": "\(device)"},
        "testPlanConfiguration": {"configurationId": "1", "configurationName": "Test Scheme Action"},
        "metrics": [\(metric("ApplicationLaunch-AppLaunch.duration", "Duration (AppLaunch)", launch)),
          \(metric("OSSignpost-Cart.duration", "Duration (Cart)", cart))]}]}]
      """
  }

  private static let noise = [0.0, 0.004, -0.003, 0.002, 0.001]

  private func files(_ stage: Stage, _ name: String, launch: Double) throws -> [String] {
    try Self.noise.enumerated().map { number, noise in
      try stage.write(Self.metrics(launch: launch * (1 + noise), cart: 0.2 + noise / 10), to: "\(name)-\(number).json")
    }
  }

  private func importing(
    _ files: [String], release: String, commit: String, _ others: String...
  ) -> [String] {
    ["import", "--lab"] + files
      + ["--app", Payload.app, "--release", release, "--commit", commit, "--runner", "mini-1"] + others
  }

  private static let base = "4f5e6d70aa", head = "9fceb02d0a"

  @Test("runs are imported into a folder and by a token that can do nothing else, and the comparison is the same")
  func compared() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    _ = try stage.addApp("com.example.other")
    let old = try files(stage, "old", launch: 0.5), new = try files(stage, "new", launch: 0.6)
    let first = try stage.run(program: Program.plumb, importing(old, release: "4.2.0", commit: Self.base))
    #expect(first.succeeded && first.output == "5 of 5 runs imported.\n", "\(first)")
    let again = try stage.run(program: Program.plumb, importing(old, release: "4.2.0", commit: Self.base))
    #expect(again.succeeded && again.output == "0 of 5 runs imported, 5 already known.\n", "\(again)")

    let added = try stage.run("token", "add", "ci", "--scope", "lab", "--app", Payload.app)
    let token = added.output.trimmingCharacters(in: .whitespacesAndNewlines)
    let reads = try stage.addToken()
    let server = try stage.serve()
    func remote(_ token: String) -> [String: String] {
      ["PLUMB_SERVER": "http://127.0.0.1:\(server.port)", "PLUMB_TOKEN": token, "PLUMB_DATA": "/nonexistent"]
    }
    let command = importing(new, release: "4.3.0", commit: Self.head, "--branch", "slower")
    let sent = try stage.run(program: Program.plumb, command, environment: remote(token))
    #expect(sent.succeeded && sent.output == "5 of 5 runs imported.\n", "\(sent)")
    let resent = try stage.run(program: Program.plumb, command, environment: remote(token))
    #expect(resent.output.hasPrefix("0 of 5 runs imported, 5 already known"), "\(resent)")

    let client = server.connect()
    let path = "/api/v1/apps/\(Payload.app)/lab-runs?release=4.3.0&commit=\(Self.head)"
    let body = Self.metrics(launch: 0.7)
    func bearer(_ token: String) -> [(String, String)] { [("Authorization", "Bearer \(token)")] }
    func status(_ path: String, _ headers: [(String, String)], _ body: String = body) -> Int? {
      client.send("POST", path, headers, body: body)?.status
    }
    #expect(status(path, []) == 401 && status(path, bearer(reads)) == 401 && status(path, bearer("x")) == 401)
    #expect(status(path.replacing(Payload.app, with: "com.example.other"), bearer(token)) == 404)
    #expect(client.get("/api/v1/apps/\(Payload.app)/report", bearer(token))?.status == 401)
    #expect(status("/api/v1/apps/\(Payload.app)/deletions?everything=\(Payload.app)", bearer(token)) == 401)
    #expect(client.get(path, bearer(token))?.status == 405)
    #expect(status(path + "&commit=1", bearer(token)) == 400 && status(path + "&colour=1", bearer(token)) == 400)
    #expect(status("/api/v1/apps/\(Payload.app)/lab-runs?release=4.3.0&commit=main", bearer(token)) == 400)
    #expect(status(path, bearer(token), "{}") == 400 && status(path, bearer(token), "") == 400)
    #expect(status(path, bearer(token), String(repeating: "[", count: 4 << 20)) == 400)
    let empty = try #require(client.send("POST", path + "&branch=&runner=", bearer(token), body: body))
    #expect(empty.status == 200, "\(empty.text)")
    let receipt = try JSON(empty.text)
    #expect(receipt["series"].integer == 2 && receipt["field_metrics"][0].text == "launch.first_draw")
    let misspelt = ["--map", "CartTests/testOpening()=screen.load", "--branch", "mapped"]
    for environment in [remote(token), [:]] {
      let command = importing(Array(new.prefix(1)), release: "4.3.0", commit: Self.head) + misspelt
      let mapped = try stage.run(program: Program.plumb, command, environment: environment)
      #expect(mapped.succeeded && mapped.errors.contains("it has no test CartTests/testOpening()."), "\(mapped)")
    }

    let compare = ["lab", "--app", Payload.app, "--base", Self.base, "--head", "slower"]
    for format in ["text", "json", "csv", "markdown", "junit", "github"] {
      let here = try stage.run(program: Program.plumb, compare + ["--format", format])
      let there = try stage.run(program: Program.plumb, compare + ["--format", format], environment: remote(reads))
      #expect(here.ending == .exit(2) && there.ending == .exit(2), "\(here) \(there)")
      #expect(here.output == there.output, "\(format)")
      if format == "json" {
        let series = try JSON(here.output)["series"]
        #expect(series[0]["verdict"].text == "worse" && series[1]["verdict"].text == "no_difference_shown")
        #expect(series[0]["difference"]["value"].number.map { abs($0 - 0.2) < 1e-9 } == true)
      }
    }
    let equal = try stage.run(program: Program.plumb, compare.dropLast() + ["4.2.0"])
    #expect(equal.ending == .exit(3) && equal.errors.contains("have runs in common"), "\(equal)")
    let unknown = try stage.run(program: Program.plumb, compare.dropLast() + ["9.9"], environment: remote(reads))
    #expect(unknown.ending == .exit(3) && unknown.errors.contains("9.9 has no performance-test runs"), "\(unknown)")
    let one = try stage.run(program: Program.plumb, compare.dropLast() + ["4.3.0"])
    #expect(one.ending == .exit(3), "one run on another runner: \(one)")
    let large = server.connect().send(
      "POST", path, bearer(token), body: String(repeating: " ", count: (4 << 20) + 1))
    #expect(large?.status == 413)
    #expect(try stage.run(program: Program.plumb, compare + ["--margin", "-1"]).ending == .exit(64))
    #expect(try stage.run(program: Program.plumb, compare.dropLast() + [Self.base]).ending == .exit(64))
    #expect(server.stop() == .exit(0))
  }

  @Test("invalid names of a run exit with 64, and an unreadable file is named and does not stop the others")
  func refused() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let file = try stage.write(Self.metrics(launch: 0.5), to: "run.json")
    func ending(_ flags: String...) throws -> Ending? {
      try stage.run(program: Program.plumb, ["import", file, "--app", Payload.app] + flags).ending
    }
    #expect(try ending("--lab") == .exit(64) && ending("--lab", "--release", "4.2.0") == .exit(64))
    #expect(try ending("--lab", "--release", "4.2.0", "--commit", "xyz") == .exit(64))
    #expect(try ending("--release", "4.2.0") == .exit(64), "without --lab")
    #expect(
      try ending("--lab", "--release", "4.2.0", "--commit", Self.base, "--map", "a=launch") == .exit(64))
    try stage.write("[4]", to: "broken.json")
    let mixed = try stage.run(
      program: Program.plumb, importing(["broken.json", file, "none.json"], release: "4.2.0", commit: Self.base))
    #expect(mixed.ending == .exit(1) && mixed.output == "1 of 3 runs imported, 2 refused.\n", "\(mixed)")
    #expect(mixed.errors.contains("broken.json: [0]: expected an object"), "\(mixed.errors)")
    let piped = try stage.run(
      program: Program.plumb, importing(["-"], release: "4.2.0", commit: Self.base), input: Self.metrics(launch: 0.6))
    #expect(piped.succeeded, "\(piped)")
  }

  @Test("a metric's page shows the lab's change beside the field's, and no other number changes")
  func page() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let lines = [("4.1.0", 500), ("4.2.0", 600)].flatMap { release, launch in
      (0..<60).map { phone in
        let values = (0..<5).map { launch + (phone * 5 + $0) % 100 }
        return Payload.native(Payload.measurements("launch.first_draw", values), release: release)
          .replacing("someone", with: "person-\(release)-\(phone)")
      }
    }
    try stage.write(lines.joined(separator: "\n"), to: "fleet.ndjson")
    #expect(try stage.run("import", "fleet.ndjson", "--app", Payload.app).succeeded)
    let before = try stage.run("report", "--app", Payload.app, "--format", "json").output
    for (release, commit, launch) in [("4.1.0", Self.base, 0.5), ("4.2.0", Self.head, 0.55)] {
      let taken = try stage.run(
        program: Program.plumb,
        importing(try files(stage, release, launch: launch), release: release, commit: commit))
      #expect(taken.succeeded, "\(taken)")
    }
    #expect(try JSON(before).metric("launch.first_draw")["n"].integer == 600)
    #expect(try stage.report().metric("launch.first_draw")["n"].integer == 600)
    let server = try stage.serve()
    let client = server.connect()
    let own = [("Authorization", "Bearer \(try stage.addToken())")]
    func ask(_ path: String) throws -> String {
      try #require(client.get("/\(path)", own).flatMap { $0.status == 200 ? $0.text : nil })
    }
    let metric = "apps/\(Payload.app)/metrics/launch.first_draw"
    let lab = try JSON(ask("api/v1/" + metric))["lab"]
    let pair = lab["pairs"][0]
    #expect(pair["base"].text == "4.1.0" && pair["head"].text == "4.2.0" && lab["record"].isNull)
    #expect(pair["lab"]["value"].number.map { abs($0 - 0.1) < 1e-9 } == true)
    // The medians of 500 to 599 and of 600 to 699, within the width of a bucket.
    #expect(pair["field"]["value"].number.map { abs($0 - 0.18) < 0.02 } == true)
    let compared = try JSON(ask("api/v1/apps/\(Payload.app)/compare?base=4.1.0&head=4.2.0"))["metrics"][0]
    #expect(compared["name"].text == "launch.first_draw")
    #expect(compared["difference"]["value"].number == pair["field"]["value"].number)
    let page = try ask(metric)
    for part in ["Lab and field", "lab +10", "field +", "1 so far"] { #expect(page.contains(part), "\(part)") }
    #expect(try ask("api/v1/\(metric)?table=lab").hasPrefix("base,head,base_runs,head_runs,lab_value"))
    #expect(try !ask("apps/\(Payload.app)/metrics/launch.first_draw?device=iPhone15,2").contains("Lab and field"))
    #expect(server.stop() == .exit(0))
  }
}
