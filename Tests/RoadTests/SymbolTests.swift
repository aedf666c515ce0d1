import Foundation
import Testing
import TestSupport

@Suite("Symbols")
struct SymbolTests {
  private static let tests = Checkout.path("Tests")
  private static let fixtures = tests + "/SymbolsTests/Fixtures"
  private static let till = "4C4C445C-5555-3144-A1FA-E3FB6B3BE1DB"
  private static let receipts = "4C4C44BD-5555-3144-A17C-26FD0AD97C6C"

  private static func dwarf(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: "\(fixtures)/\(name).dSYM/Contents/Resources/DWARF/\(name)")))
  }

  private static func token(_ stage: Stage) throws -> String {
    let added = try stage.run("token", "add", "ci", "--uploads")
    try #require(added.succeeded, "\(added.errors)")
    return added.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func put(
    _ client: HTTPClient, _ body: [UInt8], token: String?, _ more: [(String, String)] = [],
    target: String = "?name=Till"
  ) -> HTTPClient.Answer? {
    var head = "PUT /api/v1/symbols\(target) HTTP/1.1\r\nHost: plumb.example\r\nContent-Length: \(body.count)\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    for (name, value) in more { head += "\(name): \(value)\r\n" }
    return client.write(Array((head + "\r\n").utf8) + body) ? client.finalAnswer() : nil
  }

  @Test("plumb symbols finds dSYMs in folders, stores each once, lists and removes them")
  func folder() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let first = try stage.run("symbols", "upload", Self.fixtures)
    #expect(first.succeeded && first.output.contains("2 stored, 0 already stored."), "\(first)")
    #expect(first.output.contains("stored Till arm64 \(Self.till)"))
    let again = try stage.run("symbols", "upload", "\(Self.fixtures)/Till.dSYM")
    #expect(again.succeeded && again.output.contains("0 stored, 1 already stored."), "\(again)")
    let nobody = try stage.run("symbols", "list", "--app", "nobody.knows")
    #expect(!nobody.succeeded && nobody.output.isEmpty && nobody.errors.contains("nobody.knows"), "\(nobody)")
    let list = try stage.run("symbols", "list")
    #expect(list.output.contains("\(Self.receipts)  arm64  Receipts") && list.output.contains("2 files"), "\(list)")
    #expect(try stage.run("symbols", "remove", Self.till.lowercased()).succeeded)
    #expect(try stage.run("symbols", "remove", Self.till).ending == .exit(1))
    #expect(try stage.run("symbols", "remove", "Till").ending == .exit(64))
    #expect(try !stage.run("symbols", "list").output.contains(Self.till))
    let mode = try FileManager.default.attributesOfItem(atPath: stage.data + "/symbols")[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }

  @Test("symbols that cannot be accepted are named with the reason, and the rest is accepted")
  func refused() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let cut = try Self.dwarf("Till").dropLast(5000)
    try Data(cut).write(to: URL(filePath: stage.folder + "/Cut"))
    let mixed = try stage.run("symbols", "upload", "Cut", "\(Self.fixtures)/Receipts.dSYM")
    #expect(mixed.ending == .exit(1) && mixed.output.contains("1 stored, 0 already stored, 1 refused."), "\(mixed)")
    #expect(mixed.errors.contains("Cut: the file is damaged or cut off"), "\(mixed.errors)")
    // A dSYM that was cut off in a folder is named, too, however little is left; and a path without anything stops no other.
    for length in [20_000, 40] {
      for (name, bytes) in [
        ("Till", Array(try Self.dwarf("Till").prefix(length))), ("Receipts", try Self.dwarf("Receipts")),
      ] {
        let folder = stage.folder + "/builds/\(name).dSYM/Contents/Resources/DWARF"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
      }
      let folder = try stage.run("symbols", "upload", "builds", "nowhere")
      let isComplete = folder.output.contains("0 stored, 1 already stored, 2 refused.")
      #expect(folder.ending == .exit(1) && isComplete, "\(folder)")
      #expect(folder.errors.contains("Till: the file is damaged or cut off"), "\(folder.errors)")
      #expect(folder.errors.contains("nowhere: there is no such file or folder."), "\(folder.errors)")
    }
    let unknown = try stage.run("symbols", "list", "--missing", "--app", "nope")
    #expect(unknown.ending == .exit(1) && unknown.errors.contains("nope"), "\(unknown)")
    let complete = try stage.run("symbols", "list", "--missing", "--app", Payload.app)
    #expect(complete.succeeded && complete.output.contains("No symbols are missing."), "\(complete)")
    let nothing = try stage.run("symbols", "upload", "nowhere")
    let isNamed = nothing.errors.contains("nowhere: there is no such file or folder")
    #expect(nothing.ending == .exit(1) && isNamed, "\(nothing.errors)")
    try stage.write("x", to: "empty/notes.txt")
    #expect(try stage.run("symbols", "upload", "empty").errors.contains("no file in it has debug information"))
  }

  @Test("plumb symbols uploads to a server with a token for nothing else, and the API lists the files")
  func server() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let (uploads, reads) = (try Self.token(stage), try stage.addToken())
    let server = try stage.serve()
    let address = "http://127.0.0.1:\(server.port)"
    let sent = try stage.run("symbols", "upload", Self.fixtures, "--server", address, "--token", uploads)
    #expect(sent.succeeded && sent.output.contains("2 stored, 0 already stored."), "\(sent)")
    let again = try stage.run(
      "symbols", "upload", Self.fixtures, environment: ["PLUMB_SERVER": address + "/", "PLUMB_TOKEN": uploads])
    #expect(again.succeeded && again.output.contains("0 stored, 2 already stored."), "\(again)")
    for wrong in [reads, "plumb_wrong"] {
      let refused = try stage.run("symbols", "upload", Self.fixtures, "--server", address, "--token", wrong)
      #expect(
        refused.ending == .exit(1) && refused.errors.contains("the server answered 401: Send an upload token"))
    }
    let client = server.connect()
    let list = try #require(client.get("/api/v1/symbols", [("Authorization", "Bearer \(reads)")]))
    #expect(list.status == 200)
    let found = try JSON(list.text)["symbols"].list.compactMap { $0["uuid"].text }
    #expect(Set(found) == [Self.till, Self.receipts])
    #expect(client.get("/api/v1/symbols", [("Authorization", "Bearer \(uploads)")])?.status == 401)
    let coverage = client.get("/api/v1/apps/\(Payload.app)/symbols", [("Authorization", "Bearer \(reads)")])
    #expect(coverage?.status == 200 && coverage?.text.contains("\"builds\":[") == true)
    // Written by another process, seen at once.
    #expect(try stage.run("symbols", "remove", Self.till).succeeded)
    #expect(client.get("/api/v1/symbols", [("Authorization", "Bearer \(reads)")])?.text.contains(Self.till) == false)
    #expect(server.stop() == .exit(0))
  }

  @Test("a folder of system symbols in symx's layout is uploaded to a server and into a folder")
  func system() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let token = try Self.token(stage)
    let server = try stage.serve()
    let system = Self.tests + "/SymbolsTests/System"
    let sent = try stage.run(
      "symbols", "upload", system, "--server", "http://127.0.0.1:\(server.port)", environment: ["PLUMB_TOKEN": token])
    #expect(sent.succeeded && sent.output.contains("stored TillKit arm64e 1C5A0F0E-"), "\(sent)")
    let again = try stage.run("symbols", "upload", system)
    #expect(again.succeeded && again.output.contains("0 stored, 1 already stored."), "\(again)")
    let plain = Self.put(server.connect(), [0xCF, 0xFA, 0xED, 0xFE], token: token, target: "?name=Kit&system=true")
    #expect(plain?.status == 400)
    #expect(server.stop() == .exit(0))
  }

  @Test(
    "a crash in system code has function names on the group's page, and stays separate from the app's code",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/llvm-symbolizer")))
  func systemNames() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    #expect(try stage.run("symbols", "upload", Self.tests + "/SymbolsTests/System").succeeded)
    let server = try stage.serve()
    let payload = """
      {"timeStampBegin":"2026-11-18 08:16:00","timeStampEnd":"2026-11-18 08:16:00","crashDiagnostics":[{
      "version":"1.0.0","callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,
      "callStackRootFrames":[{"binaryName":"UIKitCore","binaryUUID":"1C5A0F0E-1122-3344-A5A6-B7B8C9CADBDC",
      "address":6442452004,"sampleCount":1,"offsetIntoBinaryTextSegment":1028,"subFrames":[{"binaryName":"Shop",
      "binaryUUID":"11111111-2222-3333-4444-555555555555","address":4294984704,"sampleCount":1,
      "offsetIntoBinaryTextSegment":17408}]}]}]},"diagnosticMetaData":{"appVersion":"4.2.0","appBuildVersion":"1",
      "deviceType":"iPhone15,2","osVersion":"iPhone OS 18.6.2 (22G100)","exceptionType":1,"signal":11}}]}
      """
    #expect(Payload.post(payload, to: server, key: key) == 202)
    _ = try stage.report { $0.metric("crash.count")["sum"].number == 1 }
    let own = [("Authorization", "Bearer \(try stage.addToken())")]
    let client = server.connect()
    let list = try JSON(
      try #require(client.get("/api/v1/apps/\(Payload.app)/groups?from=2026-11-01&to=2026-11-30", own)).text)
    let id = try #require(list["groups"][0]["id"].text)
    let group = try JSON(try #require(client.get("/api/v1/apps/\(Payload.app)/groups/\(id)", own)).text)
    let frames = group["threads"][0]["frames"].list
    #expect(frames[0]["name"].text == "-[TillKit open]" && frames[0]["own"].number == 0, "\(frames)")
    #expect(frames[1]["binary"].text == "Shop" && frames[1]["own"].number == 1, "\(frames)")
    #expect(client.get("/apps/\(Payload.app)/groups/\(id)", own)?.text.contains("-[TillKit open]") == true)
    #expect(server.stop() == .exit(0))
  }

  @Test("a build phase can PUT symbols plain, compressed or in parts, and wrong uploads are refused")
  func put() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let token = try Self.token(stage)
    let server = try stage.serve(environment: ["PLUMB_UPLOAD_LIMIT": "200000"])
    let till = try Self.dwarf("Till")
    let client = server.connect()
    for wrong in [nil, key, "plumb_nobody"] {
      #expect(Self.put(client, till, token: wrong)?.status == 401)
    }
    let cut = try #require(Self.put(client, Array(till.dropLast(9)), token: token))
    #expect(cut.status == 400 && cut.header("Content-Type") == "application/problem+json")
    #expect(cut.text.contains("Till: the file is damaged or cut off"), "\(cut.text)")
    let why = try JSON(cut.text)["refused"].list
    #expect(why.map { $0["name"].text } == ["Till"] && why[0]["reason"].text?.hasPrefix("the file is") == true)
    #expect(Self.put(client, Array("{}".utf8), token: token)?.status == 400)
    #expect(Self.put(client, [], token: token)?.status == 400)
    #expect(Self.put(client, till, token: token, [("Content-Encoding", "lzma")])?.status == 415)
    #expect(Self.put(client, till, token: token, [("Content-Encoding", "gzip")])?.status == 400)
    #expect(Self.put(client, till + [UInt8](repeating: 0, count: 200_000), token: token)?.status == 413)
    #expect(client.send("DELETE", "/api/v1/symbols")?.header("Allow") == "GET, HEAD, PUT")
    let stored = try #require(Self.put(client, till, token: token))
    #expect(stored.status == 200, "\(stored.text)")
    #expect(try JSON(stored.text)["stored"].list.compactMap { $0["name"].text } == ["Till"])
    let known = try #require(Self.put(client, till, token: token))
    #expect(try JSON(known.text)["known"].list.count == 1 && JSON(known.text)["stored"].list.isEmpty)
    // In pieces of unknown number, as `curl -T -` sends them.
    let receipts = try Self.dwarf("Receipts")
    let head =
      "PUT /api/v1/symbols?name=Receipts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n"
    client.write(Array(head.utf8))
    for piece in [receipts[..<5000], receipts[5000...]] {
      client.write(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8))
    }
    client.write(Array("0\r\n\r\n".utf8))
    #expect(client.finalAnswer()?.text.contains(Self.receipts) == true)
    let left = try FileManager.default.contentsOfDirectory(atPath: stage.data + "/symbols/incoming")
    #expect(left.isEmpty)
    #expect(server.stop() == .exit(0))
  }

  @Test("an upload of symbols uses disk and no memory, and payloads are accepted meanwhile")
  func large() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let token = try Self.token(stage)
    let server = try stage.serve()
    let client = server.connect()
    #expect(client.get("/healthz")?.status == 200)
    let before = try server.peakMemory()
    let size = 300 << 20
    let head =
      "PUT /api/v1/symbols HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Length: \(size)\r\n\r\n"
    client.write(Array(head.utf8))
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    let other = server.connect()
    for number in 0..<(size >> 20) {
      #expect(client.write(piece))
      guard number % 60 == 0 else { continue }
      let body = Payload.native(Payload.sessions(["s\(number)"]))
      #expect(other.send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: body)?.status == 202)
    }
    #expect(client.finalAnswer()?.status == 400)
    #expect(try server.peakMemory() - before < 100 << 20)
    #expect(server.stop() == .exit(0))
  }

  @Test("crash reports that users email are diagnostics of their build, each once")
  func crashReports() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let reports = Self.tests + "/Conformance/Fixtures/apple"
    let taken = try stage.run("import", reports, "--app", Payload.app)
    #expect(taken.succeeded && taken.output.contains("4 of 4 files imported"), "\(taken)")
    #expect(try stage.run("import", reports + "/crash.ips", "--app", Payload.app).succeeded)
    let token = try stage.addToken()
    let server = try stage.serve()
    let client = server.connect()
    let text = try String(contentsOfFile: reports + "/watchdog.crash", encoding: .utf8)
    #expect(client.send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: text)?.status == 202)
    let jetsam = try String(contentsOfFile: reports + "/crash.ips", encoding: .utf8)
      .replacing("\"bug_type\":\"309\"", with: "\"bug_type\":\"298\"")
    let refused = client.send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: jetsam)
    #expect(refused?.status == 400 && refused?.text.contains("Jetsam") == true)
    var found: [String] = []
    for _ in 0..<100 {
      let list = client.get("/api/v1/apps/\(Payload.app)/diagnostics", [("Authorization", "Bearer \(token)")])
      found = try JSON(list?.text ?? "{}")["diagnostics"].list.compactMap { $0["release"].text }
      if found.count >= 4 { break }
      usleep(200_000)
    }
    #expect(found.count == 4, "\(found)")
    #expect(server.stop() == .exit(0))
  }
}
