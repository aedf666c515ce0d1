import Foundation
import Testing
import TestSupport

@Suite("The routes of ingest nodes")
struct NodeRouteTests {
  private static let configuration = "/api/v1/nodes/configuration"
  private static let records = "/api/v1/nodes/0123456789abcdef/records?after=0"

  @Test("the routes of ingest nodes accept only tokens with the node scope, which open nothing else")
  func tokens() throws {
    let scene = try NodeScene()
    let admin = try scene.stage.run("token", "add", "all", "--scope", "read,upload,edit,delete,admin")
    let strong = admin.output.trimmingCharacters(in: .whitespacesAndNewlines)
    func get(_ target: String, _ token: String) -> Int? {
      scene.primary.connect().get(target, [("Authorization", "Bearer \(token)")])?.status
    }
    #expect(get(Self.configuration, scene.token) == 200)
    for token in [strong, scene.key, "plumb_none", ""] { #expect(get(Self.configuration, token) == 401) }
    #expect(scene.primary.connect().get(Self.configuration)?.status == 401)
    for target in ["/api/v1/apps", "/metrics", "/", "/api/v1/audit"] { #expect(get(target, scene.token) != 200) }
    let post = scene.primary.connect().send("POST", Self.records, [("Authorization", "Bearer \(strong)")], body: "x")
    #expect(post?.status == 401)
    let wide = try scene.stage.run("token", "add", "wide", "--scope", "read,node")
    #expect(wide.ending == .exit(64))
    let one = try scene.stage.run("token", "add", "one", "--node", "--app", Payload.app)
    #expect(one.ending == .exit(64))
    #expect(scene.primary.connect().get("/healthz")?.status == 200)
  }

  @Test("the configuration route answers 304 if unchanged, and otherwise with the apps")
  func configuration() throws {
    let scene = try NodeScene()
    let bearer = ("Authorization", "Bearer \(scene.token)")
    let first = try #require(scene.primary.connect().get(Self.configuration, [bearer]))
    let tag = try #require(first.header("ETag"))
    #expect(first.header("Cache-Control") == "no-store")
    let again = scene.primary.connect().get(Self.configuration, [bearer, ("If-None-Match", tag)])
    #expect(again?.status == 304)
    let node = try scene.node("one")
    let key = try scene.stage.addApp("com.example.other")
    let body = Payload.native(Payload.sessions(["a"])).replacing(Payload.app, with: "com.example.other")
    #expect(
      eventually {
        node.connect().send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: body)?.status == 202
      })
    #expect(scene.primary.connect().get(Self.configuration, [bearer, ("If-None-Match", tag)])?.status == 200)
    let report = try scene.stage.report(of: "com.example.other", until: { $0["sessions"]["total"].integer == 1 })
    #expect(report["sessions"]["total"].integer == 1)
  }

  @Test("the routes of ingest nodes refuse hostile bodies completely, and continue")
  func hostile() throws {
    let scene = try NodeScene()
    let node = try scene.node("one")
    #expect(scene.send(NodeScene.session("a"), to: node) == 202)
    #expect(try scene.counts(1))
    func post(_ body: [UInt8], _ target: String = Self.records) -> HTTPClient.Answer? {
      let client = scene.primary.connect()
      let head =
        "POST \(target) HTTP/1.1\r\nHost: plumb.example\r\nAuthorization: Bearer \(scene.token)\r\n"
        + "Content-Length: \(body.count)\r\n\r\n"
      return client.write(Array(head.utf8) + body) ? client.finalAnswer() : nil
    }
    #expect(post([])?.status == 400)
    #expect(post(Array("garbage".utf8))?.status == 400)
    for path in [
      "/api/v1/nodes/0123/records?after=0", "/api/v1/nodes/0123456789abcdef/records",
      "/api/v1/nodes/0123456789abcdef/records?after=-1", "/api/v1/nodes/%2e%2e/records?after=0",
    ] { #expect(post([], path)?.status == 400) }
    // Too large before a byte is read.
    let client = scene.primary.connect()
    client.write(
      Array(
        "POST \(Self.records) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(scene.token)\r\nContent-Length: 99999999\r\n\r\n"
          .utf8))
    #expect(client.finalAnswer()?.status == 413)
    #expect(try scene.nodes().count == 1)
    #expect(scene.send(NodeScene.session("b"), to: node) == 202)
    #expect(try scene.counts(2))
  }

  @Test("the routes of ingest nodes report what happened to a removed app's records, and count the rest")
  func removedApp() throws {
    let scene = try NodeScene()
    let other = try scene.stage.addApp("com.example.other")
    let node = try scene.node("one")
    #expect(scene.primary.stop() == .exit(0))
    let body = Payload.native(Payload.sessions(["a"])).replacing(Payload.app, with: "com.example.other")
    for index in 0..<3 {
      let named = [("X-Plumb-Key", other)] + (index == 0 ? [] : [("Idempotency-Key", "k\(index)")])
      #expect(node.connect().send("POST", "/v1/payloads", named, body: body)?.status == 202)
      #expect(scene.send(NodeScene.session("s\(index)"), to: node) == 202)
    }
    #expect(try scene.stage.run("app", "remove", "com.example.other", "--yes").succeeded)
    try scene.startPrimary()
    #expect(try scene.counts(3))
    #expect(eventually { node.child.errors.contains("3 records after 0 of this node's journal belong to apps") })
    #expect(eventually { scene.primary.child.errors.contains("3 records of the node one belong to apps") })
    #expect(scene.send(NodeScene.session("last"), to: node) == 202)
    #expect(try scene.counts(4))
  }
}
