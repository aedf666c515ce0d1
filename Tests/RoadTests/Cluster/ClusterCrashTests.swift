import ClickHouseServer
import Foundation
import Testing

@Suite(
  "A server whose rows are in ClickHouse", .serialized,
  .enabled(if: ClusterStage.isPossible, "`make test-packages` installs Debian's server"))
struct ClusterCrashTests {
  /// The kills of one run: `CLUSTER_KILLS=100` makes as many.
  private static let kills = ProcessInfo.processInfo.environment["CLUSTER_KILLS"].flatMap { Int($0) } ?? 6

  @Test("loses nothing and counts nothing twice when it and its shards are killed in turn under load")
  func killedUnderLoad() throws {
    let cluster = try ClusterStage(limit: 900 + Self.kills * 20)
    let load = Load(key: try cluster.stage.addApp())
    var server = try cluster.serve()
    load.aim(at: server)
    let clients = load.start(clients: 4)
    var table: [String: Int] = [:]
    for number in 0..<Self.kills {
      usleep(.random(in: 100_000...1_500_000))
      switch number % 3 {
      case 0:
        table["the server", default: 0] += 1
        load.aim(at: nil)
        server.kill()
        server = try cluster.serve()
        load.aim(at: server)
      case let shard:
        table["shard \(shard)", default: 0] += 1
        cluster.shards[shard - 1].kill()
        // Some outages last longer than the pause between two attempts.
        usleep(.random(in: 0...3_000_000))
        try cluster.shards[shard - 1].start()
      }
    }
    load.end()
    #expect(clients.wait(seconds: 240))
    #expect(eventually { cluster.metric("digest_lag_records", of: server) == 0 })
    #expect(eventually { cluster.metric("outbox_waiting_blocks", of: server) == 0 })
    let lost = cluster.metric("outbox_lost_blocks_total", of: server)
    #expect(server.stop() == .exit(0))
    let ledger = load.ledger
    print("kills: \(table); acknowledged: \(ledger.messages); answers: \(ledger.answers); blocks lost: \(lost ?? -1)")
    #expect(ledger.messages > 50)
    try ledger.expectExactly(in: cluster.stage)
  }
}
