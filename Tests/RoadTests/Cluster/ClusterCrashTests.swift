import ClickHouseServer
import Foundation
import Testing
import TestSupport

@Suite(
  "A cluster", .serialized,
  .enabled(
    if: ClickHouseServer.Engine.installed.contains(.server), "`make test-packages` installs Debian's server"))
struct ClusterCrashTests {
  /// The faults of one run: `PLUMB_CLUSTER_KILLS=100` makes as many.
  private static let kills = ProcessInfo.processInfo.environment["PLUMB_CLUSTER_KILLS"].flatMap { Int($0) } ?? 7

  /// What happens in turn.
  private enum Fault: String, CaseIterable {
    case firstNode = "kills of node one"
    case firstShard = "kills of shard one"
    case primary = "kills of the primary"
    case secondNode = "kills of node two"
    case secondShard = "kills of shard two"
    case lostPart = "parts deleted while shard one was down"
    case bothShards = "outages of both shards"
  }

  @Test("a cluster loses nothing and counts nothing twice if nodes, primary and shards are killed in turn under load")
  func killedUnderLoad() throws {
    let shards = try ClickHouseServer.shards(2)
    let scene = try NodeScene(
      limit: 900 + Self.kills * 20,
      environment: [
        "PLUMB_STORE": shards.map { "\($0.address())" }.joined(separator: ","), "PLUMB_STORE_CLUSTER": "shards",
      ])
    var nodes = [try scene.node("one"), try scene.node("two")]
    let loads = [Load(key: scene.key), Load(key: scene.key)]
    // The messages of both have the same keys: each counts once, whichever node had it first.
    let crews = zip(loads, nodes).map { load, node in
      load.aim(at: node)
      return load.start(clients: 2)
    }
    var table: [Fault: Int] = [:]
    for number in 0..<Self.kills {
      usleep(.random(in: 50_000...600_000))
      let fault = Fault.allCases[number % Fault.allCases.count]
      table[fault, default: 0] += 1
      switch fault {
      case .firstNode, .secondNode:
        let index = fault == .firstNode ? 0 : 1
        loads[index].aim(at: nil)
        nodes[index].kill()
        nodes[index] = try scene.node(["one", "two"][index])
        loads[index].aim(at: nodes[index])
      case .primary:
        scene.primary.kill()
        try scene.startPrimary()
      case .firstShard, .secondShard: try Self.restart([shards[fault == .firstShard ? 0 : 1]])
      case .lostPart: try Self.restart([shards[0]]) { try Self.deletePart(of: shards[0]) }
      case .bothShards: try Self.restart(shards)
      }
    }
    for load in loads { load.end() }
    for crew in crews { #expect(crew.wait(seconds: 240)) }
    for node in nodes { #expect(try scene.isRelayed(node)) }
    let sum = Load.union(loads)
    // What a shard lost is noticed within a minute.
    _ = try eventually(within: 180) {
      try scene.stage.report().metric("time.foreground")["sum"].number == Double(sum.foreground)
    }
    try sum.expectExactly(in: scene.stage)
    let lost = try scene.metric("outbox_lost_blocks_total", of: scene.primary)
    for server in nodes + [scene.primary] { #expect(server.stop() == .exit(0)) }
    try sum.expectExactly(in: scene.stage)
    if Self.kills > 10 {
      for (fault, count) in table.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        print("\(fault.rawValue): \(count)")
      }
      print(
        "\(loads.map(\.ledger.messages)) acknowledged, \(sum.messages) different, all counted once; \(lost ?? 0) lost "
          + "blocks were sent again since the primary's last start")
    }
  }

  /// Kills servers, and starts them again after up to three seconds: some outages are longer than the pause between two
  /// attempts to send.
  private static func restart(_ shards: [ClickHouseServer], meanwhile: () throws -> Void = {}) throws {
    for shard in shards { shard.kill() }
    try meanwhile()
    usleep(.random(in: 0...(kills > 10 ? 3_000_000 : 1_000_000)))
    for shard in shards { try shard.start() }
  }

  /// Deletes a part of the table behind the server's back, as a disk may.
  private static func deletePart(of shard: ClickHouseServer) throws {
    let folder = "\(shard.folder)/data/data/default/facts"
    let parts = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.wholeMatch(of: /\d+_\d+_\d+_\d+/) != nil }.sorted()
    guard let part = parts.randomElement() else { return }
    try FileManager.default.removeItem(atPath: "\(folder)/\(part)")
  }
}
