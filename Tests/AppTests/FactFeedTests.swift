import ClickHouse
import ClickHouseStore
import Foundation
import SQLiteStore
import Sink
import Synchronization
import Telemetry
import Testing

@testable import App

@Suite("The thread that sends rows")
struct FactFeedTests {
  @Test("ends within its ten seconds beside a server that takes requests and never answers")
  func silence() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/plumb-feed-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let sink = Sink { _, _ in .late(40) }
    let client = ClickHouseClient(try ClickHouseAddress("clickhouse://127.0.0.1:\(sink.port)/x"))
    let cluster = FactCluster([client], name: nil) { AppScene.now }
    let store = try SQLiteStore(path: folder + "/ledger.db", facts: cluster)
    let lines = Mutex<[String]>([])
    let feed = FactFeed(store, try cluster.sender(for: store), clock: { AppScene.now }, changed: {}) { line in
      lines.withLock { $0.append(line) }
    }
    feed.start()
    while sink.requests.isEmpty { usleep(10_000) }
    let took = ContinuousClock().measure { feed.stop() }
    #expect(took < .seconds(20), "\(took)")
    #expect(lines.withLock { $0.contains { $0.contains("does not answer") } })
  }
}
