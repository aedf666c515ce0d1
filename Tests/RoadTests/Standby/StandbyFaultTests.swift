import Foundation
import Testing
import TestSupport

@Suite("Standbys under faults")
struct StandbyFaultTests {
  private static let rounds = ProcessInfo.processInfo.environment["PLUMB_STANDBY_KILLS"].flatMap { Int($0) } ?? 1

  @Test("a standby that replaces a killed primary lacks at most the last second, counts nothing twice, within 10 s")
  func withoutNodes() throws {
    let scene = try StandbyScene(limit: 3600)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var lost = 0
    var slowest = 0.0
    for round in 0..<Self.rounds {
      let before = try scene.report(of: scene.primary).metric("screen.load")["n"].integer ?? 0
      let load = Load(key: scene.key, client: round * 10)
      load.aim(at: scene.primary)
      let crew = load.start(clients: 2)
      usleep(.random(in: 300_000...1_500_000, using: &random))
      let safe = load.ledger.messages
      usleep(1_000_000)
      scene.primary.kill()
      load.aim(at: nil)
      let start = ContinuousClock.now
      let promoted = try scene.promote()
      #expect(promoted.succeeded, "seed \(seed): \(promoted.errors)")
      #expect(scene.get("/api/v1/apps", of: scene.standby) != nil, "seed \(seed)")
      let pause = ContinuousClock.now - start
      slowest = max(slowest, pause / .seconds(1))
      #expect(pause < .seconds(10), "seed \(seed)")
      load.aim(at: scene.standby)
      usleep(300_000)
      load.end()
      #expect(crew.wait(seconds: 120), "seed \(seed)")
      let count = load.ledger.messages
      var found = 0
      // Digested when it does not grow any more.
      _ = try eventually {
        let now = try (scene.report(of: scene.standby).metric("screen.load")["n"].integer ?? 0) - before
        defer { found = now }
        usleep(500_000)
        return now == found && now >= safe
      }
      #expect(found >= safe && found <= count, "seed \(seed): \(safe) <= \(found) <= \(count)")
      lost += count - found
      let old = try scene.startPrimary()
      #expect(old.waitFor(seconds: 30) == .exit(1), "seed \(seed)")
      #expect(old.errors.contains("was replaced by"), "seed \(seed): \(old.errors)")
      scene.swap()
      if round + 1 < Self.rounds {
        try scene.startStandby()
        #expect(scene.isCurrent(), "seed \(seed)")
      }
    }
    if Self.rounds > 1 { print("\(Self.rounds) primaries killed, \(lost) payloads lost, pages after \(slowest) s") }
  }

  @Test("with ingest nodes, a standby that replaces a killed primary has every number, and counts nothing twice")
  func withNodes() throws {
    let scene = try StandbyScene(limit: 3600)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var sum = (sessions: 0, crashed: 0, measured: 0, value: 0)
    for round in 0..<Self.rounds {
      let nodes = [try scene.node("one-\(round)"), try scene.node("two-\(round)")]
      let loads = nodes.indices.map { Load(key: scene.key, client: round * 10 + $0 * 5) }
      let crews = zip(loads, nodes).map { load, node in
        load.aim(at: node)
        return load.start(clients: 2)
      }
      usleep(.random(in: 300_000...2_000_000, using: &random))
      scene.primary.kill()
      usleep(.random(in: 0...1_000_000, using: &random))
      let promoted = try scene.promote()
      #expect(promoted.succeeded, "seed \(seed): \(promoted.errors)")
      usleep(500_000)
      for load in loads { load.end() }
      for crew in crews { #expect(crew.wait(seconds: 120), "seed \(seed)") }
      for load in loads {
        sum.sessions += load.ledger.sessions
        sum.crashed += load.ledger.crashed
        sum.measured += load.ledger.measured
        sum.value += load.ledger.measuredSum
      }
      let isComplete = try eventually {
        try scene.report(of: scene.standby).metric("screen.load")["n"].integer ?? 0 >= sum.measured
      }
      let report = try scene.report(of: scene.standby)
      #expect(isComplete, "seed \(seed)")
      #expect(report["sessions"]["total"].integer == sum.sessions, "seed \(seed)")
      #expect(report["sessions"]["crashed"].integer == sum.crashed, "seed \(seed)")
      #expect(report.metric("screen.load")["n"].integer == sum.measured, "seed \(seed)")
      #expect(report.metric("screen.load")["sum"].number == Double(sum.value), "seed \(seed)")
      for node in nodes { #expect(node.stop() == .exit(0)) }
      scene.swap()
      if round + 1 < Self.rounds {
        try scene.startStandby()
        #expect(scene.isCurrent(), "seed \(seed)")
      }
    }
    if Self.rounds > 1 { print("\(Self.rounds) primaries killed, \(sum.measured) payloads, all counted once") }
  }
}
