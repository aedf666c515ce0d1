import Foundation
import Testing
import TestSupport

@Suite("Groups")
struct GroupTests {
  private static let local = [("Host", "localhost")]

  /// Yesterday: nothing of it lies in the future.
  private static let day = String(Date(timeIntervalSinceNow: -86_400).ISO8601Format().prefix(10))

  /// Sessions of a release, some of them ended by crashes in a function, one user each.
  private static func body(_ version: String, healthy: Int, crashes: [(function: String, count: Int)]) -> String {
    var sessions: [String] = []
    var reports: [String] = []
    func add(_ id: String, _ status: String) {
      sessions.append(
        "{\"id\":\"\(id)\",\"started\":\"\(day)T10:00:00Z\",\"status\":\"\(status)\",\"seq\":1,\"duration\":60}")
    }
    for number in 0..<healthy { add("\(version)-\(number)", "exited") }
    for (function, count) in crashes {
      for number in 0..<count {
        let id = "\(version)-\(function)-\(number)"
        add(id, "crashed")
        reports.append(
          """
          {"at":"\(day)T10:01:00Z","session":"\(id)","exception":"EXC_BAD_ACCESS","signal":11,"threads":[
          {"crashed":true,"frames":[{"binary":"libobjc.A.dylib","offset":\(64 + number)},
          {"binary":"Shop","offset":4096,"function":"\(function)"},{"binary":"UIKitCore","offset":77},
          {"binary":"Shop","offset":99,"function":"main"}]}]}
          """)
      }
    }
    return """
      {"app":{"bundle_id":"\(Payload.app)","version":"\(version)","build":"1"},
      "device":{"model":"iPhone15,2","os":"iOS 17.4.1"},"installation":"x\(version)",
      "sessions":[\(sessions.joined(separator: ","))],"crashes":[\(reports.joined(separator: ","))]}
      """
  }

  @Test("crashes of one cause are one group on page, API and command line, and a resolved one reopens")
  func whole() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve("--open")
    #expect(Payload.post(Self.body("4.1.0", healthy: 99, crashes: [("Old.run()", 1)]), to: server, key: key) == 202)
    #expect(
      Payload.post(
        Self.body("4.2.0", healthy: 92, crashes: [("Cart.checkout()", 6), ("Old.run()", 2)]), to: server, key: key)
        == 202)
    _ = try stage.report { $0.metric("crash.count")["sum"].number == 9 }
    let client = server.connect()
    let root = "/api/v1/apps/\(Payload.app)"
    let list = try JSON(try #require(client.get(root + "/groups?kind=crash", Self.local)).text)
    #expect(list["groups"].list.count == 2 && list["sessions"].integer == 200)
    let cart = list["groups"][0]
    #expect(cart["title"].text == "EXC_BAD_ACCESS in Cart.checkout()" && cart["sessions"].integer == 6)
    #expect(cart["share"]["value"].number == 0.03 && cart["introduced"].text == "4.2.0 (1)")
    #expect(list["groups"][1]["introduced"].text == "4.1.0 (1)")

    // 8 of 100 sessions crashed; without the 6, 2 of 100 would have.
    let impact = try JSON(try #require(client.get(root + "/releases/4.2.0/impact", Self.local)).text)
    #expect(impact["crash_free"]["value"].number == 0.92 && impact["previous_crash_free"]["value"].number == 0.99)
    #expect(impact["crashed"].integer == 8 && impact["together"].number == 1)
    #expect(impact["groups"][0]["share"].number == 0.75 && impact["groups"][0]["new"].integer == 1)
    #expect(impact["groups"][0]["crash_free_without"]["value"].number == 0.98)
    #expect(impact["groups"][1]["new"].integer == 0)

    let name = try #require(cart["id"].text)
    let group = try JSON(try #require(client.get(root + "/groups/\(name)", Self.local)).text)
    #expect(group["threads"][0]["frames"][1]["name"].text == "Cart.checkout()")
    #expect(group["samples"].list.count == 6 && group["calls"].isNull)
    let page = try #require(client.get("/apps/\(Payload.app)/groups/\(name)", Self.local))
    #expect(page.status == 200 && page.text.contains("EXC_BAD_ACCESS in Cart.checkout()"))
    #expect(client.get("/apps/\(Payload.app)/groups", Self.local)?.text.contains(name) == true)
    let release = try #require(client.get("/apps/\(Payload.app)/releases/4.2.0", Self.local)).text
    // Eight of a hundred after one of a hundred: the intervals overlap.
    let course = "92.0\u{A0}% of the sessions of 4.2.0 were crash-free, and 99.00\u{A0}% of those of 4.1.0"
    #expect(release.contains(course), "\(release)")
    #expect(client.get("/apps/\(Payload.app)/groups/0123456789abcdef", Self.local)?.status == 404)
    #expect(client.get(root + "/groups/nothing", Self.local)?.status == 404)
    #expect(client.get(root + "/groups?kind=nothing", Self.local)?.status == 400)

    let old = try #require(list["groups"][1]["id"].text)
    try states(stage, cart: name, old: old)
  }

  private func states(_ stage: Stage, cart: String, old: String) throws {
    let app = ["--app", Payload.app]
    let resolved = try stage.run(program: Program.plumb, ["groups", "resolve", cart, "--in", "4.2.1"] + app)
    #expect(resolved.output.contains("resolved in 4.2.1"), "\(resolved)")
    #expect(
      try stage.run(program: Program.plumb, ["groups", "resolve", old, "--in", "4.2.0"] + app).output.contains(
        "regressed in 4.2.0 (1)"))
    let open = try stage.run(program: Program.plumb, ["groups", "list", "--open"] + app).output
    #expect(open.contains(old) && !open.contains(cart))
    #expect(try stage.run(program: Program.plumb, ["groups", "ignore", old] + app).output.contains("ignored"))
    #expect(try stage.run(program: Program.plumb, ["groups", "reopen", old] + app).output.contains("  open  "))
    let shown = try stage.run(program: Program.plumb, ["groups", "show", cart] + app)
    #expect(shown.output.contains("Cart.checkout()") && shown.output.contains("4.2.0 (1): 6 diagnostics"))
    let other = try stage.run(program: Program.plumb, ["groups", "show", old] + app).output
    #expect(other.contains("4.1.0 (1): 1 diagnostic,"), "\(other)")
    let none = try stage.run(program: Program.plumb, ["groups", "list", "--kind", "hang"] + app)
    #expect(none.succeeded && none.output.contains("No groups in "), "\(none)")
    let unknown = try stage.run(program: Program.plumb, ["groups", "show", "0123456789abcdef"] + app)
    #expect(unknown.ending == .exit(1) && unknown.errors.contains("plumb groups list"))
  }

  @Test("a user who declares a binary as the app's own sees its groups split while the server runs")
  func ownBinaries() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve("--open")
    let crashes = [16, 32].map { offset in
      """
      {"at":"\(Self.day)T10:01:00Z","exception":"EXC_BAD_ACCESS","signal":11,"frames":[
      {"binary":"Charts","offset":\(offset)},{"binary":"Shop","offset":64,"function":"Feed.load()"}]}
      """
    }
    let body = """
      {"app":{"bundle_id":"\(Payload.app)","version":"4.2.0","build":"1"},
      "device":{"model":"iPhone15,2","os":"iOS 17.4.1"},"installation":"x","crashes":[\(crashes.joined(separator: ","))]}
      """
    #expect(Payload.post(body, to: server, key: key) == 202)
    _ = try stage.report { $0.metric("crash.count")["sum"].number == 2 }
    func groups() throws -> [String] {
      try stage.run("groups", "list", "--app", Payload.app).output.split(separator: "\n").map(String.init)
    }
    let one = try groups()
    #expect(one.count == 1 && one[0].hasSuffix("EXC_BAD_ACCESS in Feed.load()"), "\(one)")
    #expect(try stage.run("app", "settings", Payload.app, "--own-binaries", "Charts").succeeded)
    var found: [String] = []
    for _ in 0..<60 where found.count < 2 {
      Thread.sleep(forTimeInterval: 0.5)
      found = try groups()
    }
    #expect(found.count == 2 && found.allSatisfy { $0.contains("in Charts + 0x") }, "\(found)")
  }

  @Test("a session that crashed in several groups counts once, and stays crashed without one of them")
  func sharedSessions() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve("--open")
    // 10 crashed sessions of 100: 6 in one group, 6 in the other, 2 of them in both.
    let body = Self.body("4.2.0", healthy: 90, crashes: [("First.bug()", 6), ("Second.bug()", 4)])
    var document = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
    var crashes = try #require(document["crashes"] as? [[String: Any]])
    for number in 0..<2 {
      var again = crashes[6]
      again["session"] = crashes[number]["session"]
      again["at"] = "\(Self.day)T10:02:00Z"
      crashes.append(again)
    }
    document["crashes"] = crashes
    let bytes = try JSONSerialization.data(withJSONObject: document)
    #expect(Payload.post(String(decoding: bytes, as: UTF8.self), to: server, key: key) == 202)
    _ = try stage.report { $0.metric("crash.count")["sum"].number == 12 }
    let impact = try JSON(
      try #require(
        server.connect().get("/api/v1/apps/\(Payload.app)/releases/4.2.0/impact", Self.local)
      ).text)
    #expect(impact["crashed"].integer == 10 && impact["together"].number == 1, "\(impact)")
    #expect(impact["groups"].list.map { $0["share"].number } == [0.6, 0.6])
    // Without either, its 4 other sessions would have been free of crashes.
    #expect(impact["groups"].list.map { $0["crash_free_without"]["value"].number } == [0.94, 0.94])
    // What is no version is no release.
    let groups = impact["groups"].list.compactMap { $0["group"]["id"].text }
    let resolve = ["groups", "resolve", try #require(groups.first), "--app", Payload.app, "--in"]
    for text in ["Version 4.11.0", "<script>x", " "] {
      let refused = try stage.run(program: Program.plumb, resolve + [text])
      #expect(!refused.succeeded && refused.errors.contains("--in"), "\(refused)")
    }
    let sentry = try stage.run(program: Program.plumb, resolve + [" com.example.shop@4.11.0+7 "])
    #expect(sentry.output.contains("resolved in 4.11.0 (7)"), "\(sentry)")
  }

  @Test("groups without sessions are listed next to those with sessions, with only the known numbers")
  func mixedSorts() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve("--open")
    #expect(Payload.post(Self.body("4.1.0", healthy: 99, crashes: [("Old.run()", 1)]), to: server, key: key) == 202)
    // 10 crashed sessions, of which a report names one; 12 and 4 reports of other causes name none.
    let body = Self.body("4.2.0", healthy: 90, crashes: [("Rare.bug()", 1), ("Lost.a()", 9)])
    let document = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
    let sent = try #require(document["crashes"] as? [[String: Any]])
    func report(_ function: String, _ number: Int) -> [String: Any] {
      var report = sent[0]
      report["session"] = nil
      report["at"] = "\(Self.day)T11:\(10 + number):00Z"
      report["threads"] = [["crashed": true, "frames": [["binary": "Shop", "offset": 4096, "function": function]]]]
      return report
    }
    var changed = document
    changed["crashes"] =
      [sent[0]] + (0..<12).map { report("Big.bug()", $0) } + (12..<16).map { report("Middle.bug()", $0) }
    let bytes = try JSONSerialization.data(withJSONObject: changed)
    #expect(Payload.post(String(decoding: bytes, as: UTF8.self), to: server, key: key) == 202)
    _ = try stage.report { $0.metric("crash.count")["sum"].number == 18 }
    let client = server.connect()
    let impact = try JSON(
      try #require(client.get("/api/v1/apps/\(Payload.app)/releases/4.2.0/impact", Self.local)).text)
    #expect(impact["crashed"].integer == 10 && impact["crashed_of"].text == "sessions", "\(impact)")
    #expect(impact["together"].number == 0.1)
    let titles = impact["groups"].list.compactMap { $0["group"]["title"].text }
    #expect(titles == ["Big.bug()", "Middle.bug()", "Rare.bug()"].map { "EXC_BAD_ACCESS in " + $0 })
    #expect(impact["groups"].list.map { $0["share"].number } == [12.0 / 17, 4.0 / 17, 0.1])
    #expect(impact["groups"].list.map { $0["crash_free_without"]["value"].number } == [nil, nil, 0.91])
    let page = try #require(client.get("/apps/\(Payload.app)/releases/4.2.0", Self.local)).text
      .replacingOccurrences(of: "\u{A0}", with: " ").replacingOccurrences(of: "<wbr/>", with: "")
    #expect(
      page.contains("1 group with session IDs accounts for at least 10.0 % of the 10 crashed sessions"), "\(page)")
    #expect(page.contains("2 groups without session IDs account for 94.1 % of the 17 crash reports"), "\(page)")
    #expect(page.contains("Big.bug()") && page.contains("70.6 % of reports"))
  }

  @Test("a new and frequent cause opens an incident, and ignoring the cause ends it")
  func incident() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    // Somebody else each time: crashes of one user alone wake nobody.
    func bodies(_ version: String, crashes: Int) -> [String] {
      (0..<12).map { user in
        Self.body(version, healthy: 20, crashes: user < crashes ? [("Cart.checkout()", 1)] : [])
          .replacingOccurrences(of: "\"x\(version)\"", with: "\"user-\(user)\"")
          .replacingOccurrences(of: "\(version)-", with: "\(version)-\(user)-")
          .replacingOccurrences(of: "\n", with: " ")
      }
    }
    let documents = bodies("4.1.0", crashes: 0) + bodies("4.2.0", crashes: 12)
    try stage.write(documents.joined(separator: "\n"), to: "fleet.ndjson")
    try #require(try stage.run("import", "fleet.ndjson", "--app", Payload.app).succeeded)
    let told = try stage.run("check", "--public-url", "https://plumb.example.com")
    #expect(told.output.contains("EXC_BAD_ACCESS in Cart.checkout() is new in 4.2.0"), "\(told.output) \(told.errors)")
    #expect(told.output.contains("12 of 252 sessions, of 12 users"), "\(told.output)")
    let id = try #require(told.output.firstMatch(of: /Group: ([0-9a-f]{16})/)).output.1
    #expect(told.output.contains("https://plumb.example.com/apps/\(Payload.app)/groups/\(id)"), "\(told.output)")
    #expect(try stage.run("groups", "ignore", String(id), "--app", Payload.app).succeeded)
    try stage.write(
      bodies("4.2.0", crashes: 0).joined(separator: "\n").replacingOccurrences(of: "4.2.0-", with: "n-"),
      to: "more.ndjson")
    try #require(try stage.run("import", "more.ndjson", "--app", Payload.app).succeeded)
    #expect(told.output.contains("a new crash in Cart.checkout() explains 100"), "called by its place: \(told.output)")
    // The crash-free rates are still broken, so the incident goes on without its cause.
    #expect(!(try stage.run("check").output.contains("RESOLVED")))
    let listed = try stage.run("incidents", "list").output
    #expect(listed.contains("4.2.0: crash-free sessions is"), "\(listed)")
    let incident = try #require(told.output.firstMatch(of: /Incident: ([0-9a-f]{16})/)).output.1
    let shown = try stage.run("incidents", "show", String(incident)).output
    #expect(shown.contains(/New crash: .*\n(.*\n)*?    Ended: .* Recovery confirmed/), "\(shown)")
  }
}
