import Foundation
import TestSupport

@testable import Analysis
@testable import Core
@testable import Ingest
@testable import Storage
@testable import Symbols
@testable import Web

/// A server without any numbers, of which a test can hold parts up.
final class HeldBackend: ServerBackend, DeletionService, NodeService, ReleaseGate, ReplicationService {
  let settings: ServerSettings
  let control: any ControlStore
  let access: AccessCache
  let intake: Intake
  let rows = WriteQuota(perDay: 1_000_000)
  let identity = KeyedIDHash(secret: [UInt8](repeating: 1, count: 32))
  let symbols: SymbolFolder
  /// The folder of symbols, which goes with this object.
  private let folder: TemporaryFolder
  private let clock: @Sendable () -> Timestamp
  /// What snapshots of the data wait for.
  let pages = Gate()
  /// What decoders of a client called `held` wait for.
  let decoders = Gate()
  let writer: JournalWriter

  init(
    _ control: any ControlStore, _ journal: any Journal, isOpen: Bool, pendingLimit: Int = 24 << 20,
    clock: @escaping @Sendable () -> Timestamp
  ) throws {
    self.control = control
    self.clock = clock
    settings = ServerSettings(host: "127.0.0.1", isOpen: isOpen, publicURL: "http://127.0.0.1")
    access = try AccessCache(store: control, at: clock())
    folder = try TemporaryFolder("held")
    symbols = try SymbolFolder(path: folder.path, limit: 1 << 20)
    let tallies = OutcomeCounter(clock: clock)
    writer = JournalWriter(journal: journal, limit: pendingLimit, counts: tallies.drain, committed: { _ in })
    intake = Intake(
      seal: Pseudonymizer(hash: { text, _ in UInt64(text.utf8.count) }),
      context: { [decoders] submission in
        if submission.client == "held" { decoders.pass() }
        return DecodingContext(received: submission.received)
      }, writer: writer, tallies: tallies)
    writer.start()
  }

  var deletions: any DeletionService { self }
  var nodes: any NodeService { self }
  var gate: any ReleaseGate { self }
  var replication: any ReplicationService { self }
  var standbyOf: String? { nil }

  let version = "test"
  func records(_ position: StandbyPosition) throws -> [UInt8] { [1] }
  func controlDatabase() throws -> [UInt8] { [2] }
  func copy() throws -> [UInt8]? { nil }
  func files() throws -> [UInt8] { [3] }
  func file(_ path: String, from offset: Int, ofCopy: Bool) throws -> [UInt8]? { nil }
  func exchange(_ claim: [UInt8]) throws -> [UInt8]? { nil }
  func epoch(known: Epoch) throws -> Epoch { known }

  func now() -> Timestamp { clock() }
  func room() -> DiskRoom { DiskRoom() }
  func knowsEveryKey() -> Bool { true }
  func faults() -> [String] { [] }
  func warnings() -> [String] { [] }
  func storage() -> ServerStatus? { nil }
  func rowServers() -> ClickHouseServerStatus? { nil }
  func digestLag() -> Int64? { nil }
  func lastReceived() -> [AppID: Timestamp] { [:] }
  func nodeMetrics() -> [MetricFamily] { [] }
  func report(_ error: any Error) {}
  func notice(_ line: String) {}

  func health(of app: App) throws -> HealthReader { throw HeldControl.Failure() }
  func groups(of app: App) throws -> GroupReader { throw HeldControl.Failure() }
  func imagesSeen(of app: App) -> [SeenImage] { [] }
  func status() -> ServerStatus? { nil }
  func dataVersion() -> UInt64? { nil }
  func appVersions() -> AppVersions? { nil }

  func snapshot(_ body: () throws -> Void) throws {
    pages.pass()
    try body()
  }

  func request(_ scope: ErasureScope, of app: App, by name: String, at now: Timestamp) throws -> Erasure {
    throw HeldControl.Failure()
  }
  func trial(_ scope: ErasureScope, of app: App) -> [String] { [] }
  func erasure(_ id: Int64) -> Erasure? { nil }

  func configuration() -> [UInt8] { Array("{}".utf8) }
  func take(_ delivery: NodeDelivery) -> NodeDelivery.Answer { .taken(position: 1, refused: [:]) }

  func judge(_ question: GateQuestion) -> GateAnswer { GateAnswer(status: 0, text: []) }
}

/// The routes of a primary.
enum TestRoutes {
  static func all() throws -> [Route] {
    let zero = Timestamp(milliseconds: 0)
    return Router(try HeldBackend(HeldControl(keys: []), HeldJournal(), isOpen: false) { zero }).routes
  }
}
