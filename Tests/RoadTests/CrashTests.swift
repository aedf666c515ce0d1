import Foundation
import Testing
import TestSupport

@Suite("A server that is killed")
struct CrashTests {
  @Test("a server that is killed repeatedly under load loses no acknowledged payload and counts none twice")
  func killedUnderLoad() throws {
    let stage = try Stage()
    let load = Load(key: try stage.addApp())
    var server = try stage.serve()
    load.aim(at: server)
    let clients = load.start(clients: 8)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    // Flushes come every two seconds: some of these moments lie before the first, some around one.
    for seconds in [0.4, 2.0, 2.1, 0.05, 1.3] {
      usleep(UInt32(seconds * 1_000_000) + .random(in: 0...150_000, using: &random))
      load.aim(at: nil)
      server.kill()
      server = try stage.serve()
      load.aim(at: server)
    }
    usleep(300_000)
    // Killed while it stops.
    server.child.signal(SIGTERM)
    usleep(.random(in: 0...30_000, using: &random))
    server.kill()
    server = try stage.serve()
    load.aim(at: server)
    usleep(500_000)
    load.end()
    #expect(clients.wait(seconds: 240), "seed \(seed)")
    #expect(server.stop() == .exit(0), "seed \(seed)")
    try load.ledger.expectExactly(in: stage)
  }

  @Test("a server under load stops within seconds of SIGTERM, and the report has exactly what it acknowledged")
  func stoppedUnderLoad() throws {
    let stage = try Stage()
    let load = Load(key: try stage.addApp(), retries: false)
    let server = try stage.serve()
    load.aim(at: server)
    let clients = load.start(clients: 8)
    usleep(1_200_000)
    #expect(server.stop() == .exit(0), "\(server.child.errors)")
    #expect(clients.wait(seconds: 240))
    #expect(Set(load.ledger.answers.keys).isSubset(of: [202, 503]), "\(load.ledger.answers)")
    // A client may send at the moment in which its idle connection is closed; that request was not read, and the exact
    // sums below say so. Each client ends at its first failure.
    #expect(load.ledger.unanswered <= 8)
    #expect(load.ledger.messages > 50)
    try load.ledger.expectExactly(in: stage)
    let again = try stage.serve()
    #expect(again.stop() == .exit(0))
    try load.ledger.expectExactly(in: stage)
  }

  @Test("a server that must stop the moment it listens ends cleanly")
  func stoppedAtOnce() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    for _ in 0..<5 { #expect(try stage.serve().stop() == .exit(0)) }
  }

  @Test("a server whose log is no longer read continues, and ends cleanly")
  func logReaderGone() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    mkfifo(stage.folder + "/log", 0o600)
    let log = open(stage.folder + "/log", O_RDWR | O_CLOEXEC)
    let child = try stage.start(
      ["-c", "exec \"$0\" serve --listen 127.0.0.1:0 2>log", Program.plumb], program: "/bin/sh")
    var line = [UInt8](repeating: 0, count: 1000)
    var waiting = pollfd(fd: log, events: Int16(POLLIN), revents: 0)
    let count = poll(&waiting, 1, 20_000) == 1 ? read(log, &line, line.count) : 0
    close(log)
    let text = String(decoding: line[..<max(0, count)], as: UTF8.self)
    let port = try #require(text.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { Int($0.output.1) })
    let body = Payload.native(Payload.sessions(["a"]))
    let sent = HTTPClient(port: port).send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: body)
    #expect(sent?.status == 202)
    child.signal(SIGTERM)
    #expect(child.waitFor(seconds: 120) == .exit(0))
    #expect(try stage.report()["sessions"]["total"].integer == 1)
  }
}
