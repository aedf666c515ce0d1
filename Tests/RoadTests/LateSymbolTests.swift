import Foundation
import Testing
import TestSupport

@Suite("Symbols that come late", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/llvm-symbolizer")))
struct LateSymbolTests {
  private static let local = [("Host", "localhost")]
  private static let root = "/api/v1/apps/\(Payload.app)"
  private static let dwarf =
    Checkout.path("Tests/SymbolsTests/Fixtures/Till.dSYM/Contents/Resources/DWARF/Till")

  /// The executable of a build: the same code under a UUID of its own, as another build of the same sources has it.
  private struct Build {
    let version: String
    let uuid: String
    /// The crash, and the return address of the call that led there: offsets into the binary, in hexadecimal below.
    let offsets: [Int]

    func symbols() throws -> [UInt8] {
      var bytes = [UInt8](try Data(contentsOf: URL(filePath: LateSymbolTests.dwarf)))
      let old = LateSymbolTests.bytes("4C4C445C-5555-3144-A1FA-E3FB6B3BE1DB")
      let range = try #require(bytes.firstRange(of: old))
      bytes.replaceSubrange(range, with: LateSymbolTests.bytes(uuid))
      return bytes
    }

    func payload() -> String {
      let frames = offsets.map {
        "{\"binaryName\":\"Till\",\"binaryUUID\":\"\(uuid)\",\"address\":\(0x1_0000_0000 + $0),\"sampleCount\":1,"
          + "\"offsetIntoBinaryTextSegment\":\($0)"
      }
      return """
        {"timeStampBegin":"2026-11-18 08:16:00","timeStampEnd":"2026-11-18 08:16:00","crashDiagnostics":[{
        "version":"1.0.0","callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,
        "callStackRootFrames":[\(frames[0]),"subFrames":[\(frames[1])}]}]}]},
        "diagnosticMetaData":{"appVersion":"\(version)","appBuildVersion":"1","deviceType":"iPhone15,2",
        "osVersion":"iPhone OS 18.6.2 (22G100)","exceptionType":1,"exceptionCode":1,"signal":11}}]}
        """
    }
  }

  private static func bytes(_ uuid: String) -> [UInt8] {
    let digits = Array(uuid.utf8.filter { $0 != UInt8(ascii: "-") })
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
  }

  /// LLVM's own words for an address, innermost function first: the truth, asked without Plumb.
  private static func names(_ offset: Int) throws -> [String] {
    let address = "0x" + String(0x1_0000_0000 + offset, radix: 16)
    let text = try Program.text("/usr/bin/llvm-symbolizer", ["--obj=\(dwarf)", address])
    return text.split(separator: "\n").enumerated().filter { $0.offset % 2 == 0 }.map { String($0.element) }
  }

  private static func groups(_ client: HTTPClient) throws -> [JSON] {
    try JSON(try #require(client.get(root + "/groups?from=2026-11-01&to=2026-11-30", local)).text)["groups"].list
  }

  @Test("crashes of two builds are two groups without symbols, and one when their dSYMs arrive")
  func merged() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let token = try stage.run("token", "add", "ci", "--uploads").output.trimmingCharacters(in: .whitespacesAndNewlines)
    let builds = [
      Build(version: "4.1.0", uuid: "4C4C445C-5555-3144-A1FA-E3FB6B3BE1DB", offsets: [0x4858, 0x4844]),
      Build(version: "4.2.0", uuid: "11111111-2222-3333-4444-555555555555", offsets: [0x4860, 0x4840]),
    ]
    // What the crash's caller was doing is one instruction before the address it returns to.
    let truth = try builds.map { try Self.names($0.offsets[0]) + Self.names($0.offsets[1] - 1) }
    #expect(truth == [["store", "rounded", "taxed", "settle"], ["store", "rounded", "taxed", "settle"]])

    let server = try stage.serve("--open")
    for build in builds { #expect(Payload.post(build.payload(), to: server, key: key) == 202) }
    _ = try stage.report { $0.metric("crash.count")["sum"].number == 2 }
    let client = server.connect()
    let before = try Self.groups(client)
    #expect(Set(before.compactMap { $0["title"].text }).count == 2, "\(before)")
    let old = before.compactMap { $0["id"].text }
    try #require(old.count == 2)

    // While the server runs, one after the other.
    var titles: [[String]] = []
    for build in builds {
      try Self.upload(build, client, token)
      titles.append(try Self.settled(client, after: titles.last))
    }
    #expect(titles[0].count == 2)
    #expect(titles[0].count { $0.contains("store") } == 1)
    #expect(titles[1] == ["EXC_BAD_ACCESS in store"])

    let group = try #require(try Self.groups(client).first)
    #expect(group["diagnostics"].integer == 2)
    let name = try #require(group["id"].text)
    // Both old names lead to it.
    for id in old {
      let page = try #require(client.get("/apps/\(Payload.app)/groups/\(id)", Self.local))
      #expect(page.status == 200 || page.header("Location")?.contains(name) == true, "\(page.status)")
    }
    let shown = try JSON(try #require(client.get(Self.root + "/groups/\(name)", Self.local)).text)
    let frames = shown["threads"][0]["frames"].list
    #expect(frames.compactMap { $0["name"].text } == truth[0], "\(frames)")
    let page = try #require(client.get("/apps/\(Payload.app)/groups/\(name)", Self.local)).text
    #expect(page.contains("Settle.c:4") || page.contains("Settle.c:5"))
    #expect(page.contains("4.1.0") && page.contains("4.2.0"))

    // Symbols that go away take no name along. A third build whose symbols come afterwards joins the group when the server
    // has noticed both.
    #expect(try stage.run("symbols", "remove", builds[0].uuid).succeeded)
    let third = Build(version: "4.3.0", uuid: "22222222-2222-3333-4444-555555555555", offsets: builds[0].offsets)
    #expect(Payload.post(third.payload(), to: server, key: key) == 202)
    try Self.upload(third, client, token)
    let joined = try Self.groups(client) { $0.count == 1 && $0[0]["diagnostics"].integer == 3 }
    #expect(joined.compactMap { $0["title"].text } == titles[1], "\(joined)")
    #expect(server.stop() == .exit(0))

    // Nor does a server without a symbolizer, or symbols that come back. Crashes in a binary that is declared the app's
    // own afterwards are split when the server has noticed both.
    let blind = try stage.serve("--open", environment: ["PLUMB_SYMBOLIZER": "/nonexistent"])
    #expect(try stage.run("symbols", "upload", Self.dwarf).succeeded)
    #expect(Payload.post(Self.chartCrashes, to: blind, key: key) == 202)
    _ = try Self.groups(blind.connect()) { $0.count == 2 }
    #expect(try stage.run("app", "settings", Payload.app, "--own-binaries", "Charts").succeeded)
    let last = try Self.groups(blind.connect()) { $0.count == 3 }
    #expect(
      last.filter { $0["title"].text?.contains("Charts") == false }.compactMap { $0["id"].text } == [name], "\(last)")
    for id in old {
      let led = try JSON(try #require(blind.connect().get(Self.root + "/groups/\(id)", Self.local)).text)
      #expect(led["group"]["id"].text == name, "\(led)")
    }
    #expect(blind.stop() == .exit(0))
  }

  private static func upload(_ build: Build, _ client: HTTPClient, _ token: String) throws {
    let body = try build.symbols()
    let head =
      "PUT /api/v1/symbols?name=Till HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
      + "Content-Length: \(body.count)\r\n\r\n"
    #expect(client.write(Array(head.utf8) + body))
    let answer = try #require(client.finalAnswer())
    #expect(answer.status == 200 && answer.text.contains(build.uuid), "\(answer.text)")
  }

  /// Two crashes at two offsets of a binary that is called like one of Apple's, under one function of the app.
  private static var chartCrashes: String {
    let crashes = [16, 32].map { offset in
      """
      {"at":"2026-11-18T10:01:00Z","exception":"EXC_BAD_ACCESS","signal":11,"frames":[
      {"binary":"Charts","offset":\(offset)},{"binary":"Shop","offset":64,"function":"Feed.load()"}]}
      """
    }
    return """
      {"app":{"bundle_id":"\(Payload.app)","version":"4.2.0","build":"1"},
      "device":{"model":"iPhone15,2","os":"iOS 17.4.1"},"crashes":[\(crashes.joined(separator: ","))]}
      """
  }

  /// The groups when they meet the condition; as they are after 60 seconds.
  private static func groups(_ client: HTTPClient, where isMet: ([JSON]) -> Bool) throws -> [JSON] {
    var found: [JSON] = []
    _ = try eventually {
      found = try groups(client)
      return isMet(found)
    }
    return found
  }

  /// The titles when they are others than before; as they are after 60 seconds.
  private static func settled(_ client: HTTPClient, after last: [String]?) throws -> [String] {
    var titles: [String] = []
    _ = try eventually {
      titles = try groups(client).compactMap { $0["title"].text }.sorted()
      return last.map { titles != $0 } ?? titles.contains { $0.contains("store") }
    }
    return titles
  }
}
