import ClickHouseServer
import Foundation
import Testing
import TestSupport

@Suite(
  "A primary whose shards are down", .serialized,
  .enabled(
    if: ClickHouseServer.Engine.installed.contains(.server), "`make test-packages` installs Debian's server"))
struct ClusterOutageTests {
  @Test("a primary without its shards accepts payloads, reports missing data, and later has all of it")
  func outage() throws {
    let shards = try ClickHouseServer.shards(2)
    let stores = shards.map { "\($0.address())" }
    let scene = try NodeScene(environment: [
      "PLUMB_STORE": stores.joined(separator: ","), "PLUMB_STORE_CLUSTER": "shards",
    ])
    let reads = [("Authorization", "Bearer \(try scene.stage.addToken("reader"))")]
    for number in 0..<5 { #expect(scene.send(NodeScene.session("a-\(number)"), to: scene.primary) == 202) }
    #expect(try scene.counts(5))
    shards[1].kill()
    let client = scene.primary.connect()
    let page = try #require(client.get("/api/v1/apps/\(Payload.app)/report", reads))
    #expect(page.status == 503 && page.text.contains("numbers cannot be read"), "\(page.status) \(page.text)")
    let told = try scene.stage.run("report", "--app", Payload.app)
    #expect(!told.succeeded && told.errors.contains("numbers cannot be read"), "\(told.errors)")
    let judged = try scene.stage.run("check", "--format", "text")
    #expect(judged.ending == .exit(3) && judged.errors.contains("could not evaluate"), "\(judged.errors)")
    #expect(client.get("/apps/\(Payload.app)", reads)?.status == 503)
    // Started while both are away.
    shards[0].kill()
    scene.primary.kill()
    try scene.startPrimary()
    for number in 5..<12 { #expect(scene.send(NodeScene.session("a-\(number)"), to: scene.primary) == 202) }
    let again = scene.primary.connect()
    #expect(try eventually { try scene.metric("digest_lag_records", of: scene.primary) == 0 })
    #expect(
      eventually {
        let ready = again.get("/readyz")
        return ready?.status == 200 && stores.allSatisfy { ready?.text.contains("\($0) does not accept rows") == true }
      })
    for shard in shards { try shard.start() }
    #expect(try scene.counts(12))
    #expect(eventually { again.get("/readyz")?.text == "ready\n" })
    #expect(scene.primary.stop() == .exit(0))
    // Other servers than those that have the rows are refused.
    let other = try scene.stage.run(
      "serve", "--listen", "127.0.0.1:0", "--data", scene.stage.data, "--store", stores[0])
    #expect(other.ending != .exit(0) && other.errors.contains("List all servers"), "\(other.errors)")
  }

  @Test("a folder's rows move to two shards and back through kills, and every report stays the same")
  func copy() throws {
    let shards = try ClickHouseServer.shards(2)
    let stage = try Stage()
    try stage.fillWithDemo(users: 10)
    let now = Date().ISO8601Format()
    func reports() throws -> [String] {
      try ["com.example.shop", "com.example.notes"].flatMap { app in
        try [[], ["--release", "4.3.0"], ["--device-class", "iPhone 15"]].map { flags in
          try stage.run(program: Program.plumb, ["report", "--app", app, "--format", "json", "--now", now] + flags)
            .output
        }
      }
    }
    func copy(_ arguments: [String]) throws {
      let environment = ["PLUMB_STORE_CLUSTER": "shards"]
      for pause in [UInt32(400_000), 900_000] {
        let child = try stage.start(["store", "copy"] + arguments, environment: environment)
        usleep(pause)
        child.signal(SIGKILL)
        _ = child.waitFor(seconds: 5)
      }
      let done = try stage.run(program: Program.plumb, ["store", "copy"] + arguments, environment: environment)
      // A fast machine moves all rows before the second kill.
      let isEnded =
        done.errors.contains("nothing to move back") || done.output.contains("already moved")
        || done.output.contains("metrics match")
      #expect(isEnded, "\(done.output) \(done.errors)")
    }
    do {
      let before = try reports()
      let servers = shards.map { "\($0.address())" }
      try copy(["--from", stage.data] + servers.flatMap { ["--to", $0] })
      #expect(try FileManager.default.contentsOfDirectory(atPath: stage.data).contains("store.yaml"))
      let moved = try reports()
      try copy(servers.flatMap { ["--from", $0] } + ["--to", stage.data])
      #expect(try !FileManager.default.contentsOfDirectory(atPath: stage.data).contains("store.yaml"))
      for other in [moved, try reports()] where other != before {
        let index = zip(before, other).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
        Issue.record("\(before[index].prefix(2000)) ≠ \(other[index].prefix(2000))")
      }
      #expect(before.allSatisfy { $0.contains("\"n\"") })
      // The rows are on the servers as well, and would be there twice.
      let again = try stage.run(
        program: Program.plumb, ["store", "copy", "--from", stage.data] + servers.flatMap { ["--to", $0] },
        environment: ["PLUMB_STORE_CLUSTER": "shards"])
      #expect(again.ending == .exit(2) && again.errors.contains("already has rows"), "\(again.errors)")
    }
    let verified = try stage.run("verify")
    #expect(verified.succeeded, "\(verified.output)")
  }
}
