import Foundation
import Testing
import TestSupport

@Suite("Debug file uploads with sentry-cli")
struct SentryCLITests {
  private static let fixtures =
    Checkout.path("Tests/SymbolsTests/Fixtures")
  private static let till = "4C4C445C-5555-3144-A1FA-E3FB6B3BE1DB"
  private static let list = "/api/0/projects/o/p/files/difs/assemble/"
  private static let pieces = "/api/0/organizations/o/chunk-upload/"

  private func uploadToken(_ stage: Stage, _ name: String = "ci") throws -> String {
    let added = try stage.run("token", "add", name, "--uploads")
    try #require(added.succeeded, "\(added.errors)")
    return added.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func dwarf(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: "\(Self.fixtures)/\(name).dSYM/Contents/Resources/DWARF/\(name)")))
  }

  @Test(
    "sentry-cli uploads folders, archives and large files in chunks, and nothing on the second run",
    .enabled(if: RealClients.sentryCLI != nil, Comment(rawValue: RealClients.missing)))
  func realClient() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let token = try uploadToken(stage)
    let server = try stage.serve()
    let client = try #require(RealClients.sentryCLI)
    func upload(_ paths: String..., token: String) throws -> Stage.Outcome {
      try stage.run(
        program: client, ["debug-files", "upload"] + paths,
        environment: [
          "SENTRY_URL": "http://127.0.0.1:\(server.port)", "SENTRY_AUTH_TOKEN": token, "SENTRY_ORG": "team",
          "SENTRY_PROJECT": "shop", "SENTRY_DISABLE_UPDATE_CHECK": "1",
        ])
    }
    let first = try upload(Self.fixtures, token: token)
    #expect(first.succeeded && first.output.contains("Uploaded 2 missing debug information files"), "\(first)")
    #expect(first.output.contains("OK \(Self.till.lowercased())"), "\(first)")
    let stored = try stage.run("symbols", "list").output
    #expect(stored.contains("\(Self.till)  arm64  Till") && stored.contains("2 files"), "\(stored)")
    let again = try upload(Self.fixtures, token: token)
    #expect(again.succeeded && again.output.contains("Nothing to upload"), "\(again)")
    // 20 MB that no gzip makes smaller, in three pieces.
    let till = "\(Self.fixtures)/Till.dSYM/Contents/Resources/DWARF/Till"
    let made = try stage.run(
      program: "/bin/sh",
      ["-c", "mkdir large && cp '\(till)' large/ && head -c 20971520 /dev/urandom >> large/Till"])
    try #require(made.succeeded, "\(made.errors)")
    let large = try upload("large", token: token)
    #expect(large.succeeded && large.output.contains("OK \(Self.till.lowercased())"), "\(large)")
    #expect(try stage.run("symbols", "list").output.contains("Till  21.0 MB"), "\(large)")
    for wrong in [try stage.addToken(), "plumb_wrong"] {
      let refused = try upload(Self.fixtures, token: wrong)
      #expect(!refused.succeeded && refused.errors.contains("Send an upload token"), "\(refused)")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: stage.data + "/symbols/incoming-pieces")
    #expect(left.isEmpty)
    #expect(server.stop() == .exit(0))
  }

  /// A request with pieces; `field` is the name of each part.
  private func send(
    _ parts: [(name: String, bytes: [UInt8])], _ token: String, _ client: HTTPClient, field: String = "file"
  ) -> HTTPClient.Answer? {
    var body: [UInt8] = []
    for part in parts {
      let head = "Content-Disposition: form-data; name=\"\(field)\"; filename=\"\(part.name)\""
      body += Array("--b0und\r\n\(head)\r\nContent-Type: application/octet-stream\r\n\r\n".utf8) + part.bytes
      body += Array("\r\n".utf8)
    }
    body += Array("--b0und--\r\n".utf8)
    let head =
      "POST \(Self.pieces) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Length: \(body.count)\r\n"
      + "Content-Type: multipart/form-data; boundary=b0und\r\n\r\n"
    return client.write(Array(head.utf8) + body) ? client.finalAnswer() : nil
  }

  private func sum(_ bytes: [UInt8], _ stage: Stage) throws -> String {
    try Data(bytes).write(to: URL(filePath: stage.folder + "/piece"))
    return String(try stage.run(program: "/usr/bin/sha1sum", ["piece"]).output.prefix(40))
  }

  @Test("chunks are named by their checksum and belong to their token, and lists report missing ones")
  func protocolByHand() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let (token, other) = (try uploadToken(stage), try uploadToken(stage, "other"))
    let server = try stage.serve(environment: ["PLUMB_UPLOAD_LIMIT": "200000"])
    let client = server.connect()
    let own = [("Authorization", "Bearer \(token)")]
    let options = try JSON(try #require(client.get(Self.pieces, own)).text)
    #expect(options["chunkSize"].integer == 8_388_608 && options["maxRequestSize"].integer == 33_554_432)
    #expect(options["url"].text == "organizations/o/chunk-upload/" && options["hashAlgorithm"].text == "sha1")
    #expect(client.get(Self.pieces)?.status == 401)
    #expect(server.connect().send("PUT", Self.pieces, own)?.status == 405)

    let till = try dwarf("Till")
    let halves = [Array(till.prefix(7000)), Array(till.dropFirst(7000))]
    let names = try halves.map { try sum($0, stage) }
    let whole = try sum(till, stage)
    func ask(_ chunks: [String], sum: String, _ token: String) throws -> JSON {
      let names = chunks.map { "\"\($0)\"" }.joined(separator: ",")
      let body = "{\"\(sum)\":{\"name\":\"Till\",\"debug_id\":\"\(Self.till.lowercased())\",\"chunks\":[\(names)]}}"
      let answer = client.send("POST", Self.list, [("Authorization", "Bearer \(token)")], body: body)
      return try JSON(try #require(answer).text)[sum]
    }
    #expect(try ask(names, sum: whole, token)["missingChunks"].list.compactMap(\.text) == names)
    #expect(send([(names[0], halves[0])], token, client)?.status == 200)
    let half = try ask(names, sum: whole, token)
    #expect(half["state"].text == "not_found" && half["missingChunks"].list.compactMap(\.text) == [names[1]])
    #expect(try ask(names, sum: whole, other)["missingChunks"].list.count == 2, "another token's pieces are not seen")

    let path = "../../../../tmp/x"
    for wrong in [(names[1], halves[0]), (path, halves[1]), (String(names[1].dropLast()), halves[1])] {
      #expect(send([wrong], token, client)?.status == 400)
    }
    #expect(send([(names[1], halves[1])], token, client, field: "file_gzip")?.status == 400)
    #expect(send([(names[1], halves[1])], token, client, field: "files")?.status == 400)
    #expect(send(Array(repeating: (names[0], halves[0]), count: 65), token, server.connect())?.status == 400)
    for body in ["", "[]", "{\"x\":{}}", "{\"x\":{\"chunks\":[1]}}", "nonsense"] {
      #expect(client.send("POST", Self.list, own, body: body)?.status == 400, "\(body)")
    }
    #expect(try ask([path], sum: whole, token)["state"].text == "not_found")

    #expect(send([(names[1], halves[1])], token, client)?.status == 200)
    let wrongSum = try ask(names.reversed(), sum: whole, token)
    #expect(wrongSum["state"].text == "error" && wrongSum["detail"].text?.contains("another SHA-1") == true)
    #expect(send(Array(zip(names, halves)).map { ($0, $1) }, token, client)?.status == 200)
    let done = try ask(names, sum: whole, token)
    #expect(done["state"].text == "ok" && done["dif"]["objectName"].text == "Till", "\(done.shape)")
    #expect(try ask(names, sum: whole, other)["state"].text == "ok", "what is stored is known to every token")

    // A token leaves at most what is free then: half of four times `upload-limit`.
    var statuses: [Int] = []
    for number in 0..<9 {
      let bytes = [UInt8](repeating: UInt8(number), count: 50_000)
      statuses.append(send([(try sum(bytes, stage), bytes)], token, client)?.status ?? 0)
    }
    #expect(statuses == Array(repeating: 200, count: 8) + [413])
    let bytes = [UInt8](repeating: 100, count: 50_000)
    #expect(send([(try sum(bytes, stage), bytes)], other, client)?.status == 200, "another token still has room")
    #expect(server.stop() == .exit(0))
    // A start leaves nothing of them.
    let next = try stage.serve()
    #expect(try FileManager.default.contentsOfDirectory(atPath: stage.data + "/symbols/incoming-pieces").isEmpty)
    #expect(next.stop() == .exit(0))
  }
}
