import Foundation
import Testing
import TestSupport

@Suite("Ingest nodes")
struct NodeTests {
  @Test("a repeated idempotency key counts once, whichever nodes it was sent to, and the primary reports it")
  func repeatedKeys() throws {
    let scene = try NodeScene()
    let (first, second) = (try scene.node("one"), try scene.node("two"))
    let bodies = (0..<20).map { NodeScene.session("s\($0)") }
    for (index, body) in bodies.enumerated() {
      for server in [first, second, scene.primary] {
        #expect([200, 202].contains(scene.send(body, to: server, as: "key-\(index)")))
      }
    }
    // Again at a node that had it: known at once.
    #expect(scene.send(bodies[0], to: first, as: "key-0") == 200)
    #expect(scene.send(NodeScene.session("last"), to: second) == 202)
    #expect(try scene.counts(21))
    // And one record that counts the repetition at its door.
    #expect(try eventually { try scene.position(of: "one") ?? 0 >= 21 })
    #expect(try scene.position(of: "two") ?? 0 >= 21)
    #expect(try scene.stage.run("audit").output.components(separatedBy: "node.add").count == 3)
    // 20 of 60 requests were the first, and one was repeated at the same node.
    #expect(try eventually { try tallies(of: scene.stage)["duplicate idempotency key"] == 41 })
    #expect(try scene.sessions() == 21)
  }

  @Test("ingest nodes continue while the primary is down, even after a restart, and deliver once later")
  func primaryAway() throws {
    let scene = try NodeScene()
    var node = try scene.node("one")
    #expect(scene.send(NodeScene.session("before"), to: node, as: "k0") == 202)
    #expect(try scene.counts(1))
    #expect(scene.primary.stop() == .exit(0))
    for index in 1...10 { #expect(scene.send(NodeScene.session("s\(index)"), to: node, as: "k\(index)") == 202) }
    node.kill()
    node = try scene.node("one")
    for index in 11...15 { #expect(scene.send(NodeScene.session("s\(index)"), to: node, as: "k\(index)") == 202) }
    // A key that is repeated is known although the primary is away.
    #expect(scene.send(NodeScene.session("s15"), to: node, as: "k15") == 200)
    let ready = try #require(node.connect().get("/readyz"))
    #expect(ready.status == 200)
    #expect(eventually { node.connect().get("/readyz")?.text.contains("waiting for the primary") == true })
    // It may be a new one.
    let unknown = node.connect().send("POST", "/v1/payloads", [("X-Plumb-Key", "0")], body: "{}")
    #expect(unknown?.status == 503)
    try scene.startPrimary()
    #expect(try scene.counts(16))
    #expect(
      eventually {
        node.connect().send("POST", "/v1/payloads", [("X-Plumb-Key", "0")], body: "{}")?.status == 401
      })
    #expect(node.stop() == .exit(0))
    #expect(scene.primary.stop() == .exit(0))
    #expect(try scene.sessions() == 16)
  }

  @Test("ingest nodes resend what a primary lost that was restored from an earlier copy")
  func restoredPrimary() throws {
    let scene = try NodeScene()
    let node = try scene.node("one")
    for index in 0..<5 { scene.send(NodeScene.session("a\(index)"), to: node, as: "a\(index)") }
    #expect(try scene.counts(5))
    #expect(scene.primary.stop() == .exit(0))
    try FileManager.default.copyItem(atPath: scene.stage.data, toPath: scene.folder("copy"))
    try scene.startPrimary()
    for index in 0..<7 { scene.send(NodeScene.session("b\(index)"), to: node) }
    #expect(try scene.counts(12))
    #expect(scene.primary.stop() == .exit(0))
    try FileManager.default.removeItem(atPath: scene.stage.data)
    try FileManager.default.copyItem(atPath: scene.folder("copy"), toPath: scene.stage.data)
    #expect(try scene.sessions() == 5)
    try scene.startPrimary()
    scene.send(NodeScene.session("c"), to: node)
    #expect(try scene.counts(13))
    #expect(node.child.errors.contains("are relayed again"))
  }

  @Test("an ingest node from an old copy of its folder takes another name, so that new data is not taken for old")
  func oldCopy() throws {
    let scene = try NodeScene()
    var node = try scene.node("one")
    scene.send(NodeScene.session("a"), to: node)
    #expect(try scene.counts(1))
    #expect(node.stop() == .exit(0))
    try FileManager.default.copyItem(atPath: scene.folder("one"), toPath: scene.folder("copy"))
    node = try scene.node("one")
    for index in 0..<3 { scene.send(NodeScene.session("b\(index)"), to: node) }
    #expect(try scene.counts(4))
    #expect(node.stop() == .exit(0))
    // The copy takes payloads while the primary is away, and starts again before it meets it.
    #expect(scene.primary.stop() == .exit(0))
    node = try scene.node("one", folder: scene.folder("copy"))
    for index in 0..<5 { #expect(scene.send(NodeScene.session("c\(index)"), to: node) == 202) }
    node.kill()
    node = try scene.node("one", folder: scene.folder("copy"))
    #expect(scene.send(NodeScene.session("d"), to: node) == 202)
    try scene.startPrimary()
    #expect(try scene.counts(10))
    #expect(node.child.errors.contains("is an old copy"))
    #expect(try scene.nodes().count == 2)
    #expect(node.stop() == .exit(0))
    #expect(try scene.sessions() == 10)
  }

  @Test("ingest nodes need the primary at their first start, and refuse a folder of another kind")
  func starts() throws {
    let scene = try NodeScene()
    func failure(_ arguments: [String], token: String) throws -> Stage.Outcome {
      try scene.stage.run(
        program: Program.plumb, ["ingest", "--listen", "127.0.0.1:0"] + arguments, environment: ["PLUMB_TOKEN": token],
        limit: 30)
    }
    let here = "http://127.0.0.1:\(scene.primary.port)"
    let away = try failure(["--primary", "http://127.0.0.1:1", "--data", scene.folder("new")], token: scene.token)
    #expect(away.errors.contains("At its first start, an ingest node must reach its primary"), "\(away.errors)")
    let read = try scene.stage.addToken()
    let wrong = try failure(["--primary", here, "--data", scene.folder("new")], token: read)
    #expect(wrong.errors.contains("answered 401: Send a node token"), "\(wrong.errors)")
    let plain = try failure(
      ["--primary", "http://plumb.example.com", "--data", scene.folder("new")], token: scene.token)
    #expect(plain.ending == .exit(64) && plain.errors.contains("https://"), "\(plain.errors)")
    // The folder of a whole installation.
    scene.send(NodeScene.session("a"), to: scene.primary)
    #expect(try scene.counts(1))
    #expect(scene.primary.stop() == .exit(0))
    let whole = try failure(["--primary", here, "--data", scene.stage.data], token: scene.token)
    #expect(whole.errors.contains("starts with an empty folder"), "\(whole.errors)")
    try scene.startPrimary()
    let node = try scene.node("one")
    let mode = try FileManager.default.attributesOfItem(atPath: scene.folder("one") + "/secret")[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let page = try #require(node.connect().get("/"))
    #expect(page.status == 404 && page.text.contains(here))
    #expect(node.stop() == .exit(0))
    let served = try scene.stage.run("serve", "--listen", "127.0.0.1:0", "--data", scene.folder("one"), limit: 30)
    #expect(served.errors.contains("is an ingest node's"), "\(served.errors)")
  }
}
