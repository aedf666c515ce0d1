import Analysis
import Core
import Foundation
import Ingest
import SQLiteStore
import Storage
import Web

/// The store whose pages are read. `hot-loops prepare` writes its file.
enum FixedStore {
  static let path = ".build/hot-loops.db"
  static let app = App(
    id: 1, bundleID: "com.example.shop", created: Timestamp(milliseconds: 0), settings: AppSettings(), keys: [])

  static func write() throws {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    var aggregator = RecordAggregator()
    aggregator.digest(try FixedBodies.batch(days: 28, releases: 3, models: 4))
    guard let batch = aggregator.take(node: NodeID("hot-loops")) else { preconditionFailure("no records") }
    try SQLiteStore(path: path).apply(batch)
  }
}

extension HotLoop {
  /// Applies changes to a store in a new folder, repeatedly: those of two releases, three models and a day.
  static let apply = applying("apply", turns: 4) { try FixedBodies.batch(days: 1, releases: 2, models: 3) }

  /// The payloads of a mixed fleet in as many cells: five releases and eight models on each of four days.
  static let applyFleet = applying("apply-fleet", turns: 2) {
    try FixedBodies.batch(days: 4, releases: 5, models: 8, of: ["metrickit.json"])
  }

  /// Crash events after decoding, from record to rows and samples: twenty of Sentry's and twenty of MetricKit's, each
  /// with an identity of its own.
  static let crashes = HotLoop(name: "crash-events", turns: 2) {
    let store = try emptyStore(withSamples: true)
    let reports =
      try FixedBodies.reports("sentry-crash.envelope", .sentryEnvelope) + FixedBodies.reports("metrickit-crash.json")
    let count = 20 * reports.count
    return { turn in
      var records = LengthDelimitedRecords(reservingRecords: count)
      for number in 0..<count {
        var report = reports[number % reports.count]
        report.diagnostics[0].identity = UInt64(turn * count + number)
        records.append(report, FixedBodies.header(), seal: FixedBodies.seal)
      }
      var aggregator = RecordAggregator()
      aggregator.digest(JournalBatch(first: Int64(turn * count + 1), count: count, records: records.bytes()))
      guard let batch = aggregator.take(node: NodeID("hot-loops")) else { preconditionFailure("no records") }
      try store.apply(batch)
    }
  }

  private static func emptyStore(withSamples: Bool = false) throws -> SQLiteStore {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hot-loops-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // The process keeps the files open while it runs.
    defer { try? FileManager.default.removeItem(at: folder) }
    let samples = folder.appendingPathComponent("samples.db").path
    return try SQLiteStore(
      path: folder.appendingPathComponent("plumb.db").path,
      samples: withSamples ? SQLiteSampleStore(path: samples) : nil)
  }

  private static func applying(
    _ name: String, turns: Int, _ records: @escaping @Sendable () throws -> JournalBatch
  ) -> HotLoop {
    HotLoop(name: name, turns: turns) {
      let store = try emptyStore()
      var aggregator = RecordAggregator()
      aggregator.digest(try records())
      guard let batch = aggregator.take(node: NodeID("hot-loops")) else { preconditionFailure("no records") }
      return { turn in
        var next = batch
        next.from = batch.from + Int64(turn) * (batch.through - batch.from + 1)
        next.through = next.from + batch.through - batch.from
        try store.apply(next)
      }
    }
  }

  /// Renders an app's page and a metric's page, from rows to HTML.
  static let pages = HotLoop(name: "pages", turns: 1) {
    let store = try SQLiteStore(path: FixedStore.path)
    let health = HealthReader(store: store, budgets: Budget.effective(file: nil))
    let source = OneApp(
      app: FixedStore.app, now: FixedBodies.now, health: health,
      groups: GroupReader(store: store, health: health, states: NoDecisions(), symbols: NoSymbols()) { _ in CallTree() }
    )
    let pages: [(any PageDefinition.Type, [String])] = [
      (AppPage.self, [FixedStore.app.bundleID]), (MetricPage.self, [FixedStore.app.bundleID, "launch.first_draw"]),
    ]
    return { _ in
      for (definition, arguments) in pages {
        let page = try store.snapshot {
          try definition.content(PageRequest(source, arguments: arguments), PageContext())
        }
        precondition(page.map { $0.render().count > 10_000 } ?? false)
      }
    }
  }
}

private struct NoDecisions: GroupDecisions, GroupNotes {
  func groupStates(of app: AppID) throws -> [UInt64: GroupDecision] { [:] }
  func groupNotes(of app: AppID) throws -> [UInt64: GroupNote] { [:] }
  func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws {}
  func setNote(_ note: GroupNote, of app: AppID, group: UInt64, replacing: [UInt64]) throws {}
}

/// The page data of one app, without incidents.
private struct OneApp: PageSource {
  let app: App
  let now: Timestamp
  let health: HealthReader
  let groups: GroupReader

  func apps() -> [App] { [app] }
  func app(_ bundleID: String) -> App? { bundleID == app.bundleID ? app : nil }
  func health(of app: App) -> HealthReader { health }
  func groups(of app: App) -> GroupReader { groups }
  func incidents(closedAfter time: Timestamp) -> [Incident] { [] }
  func openIncidents(of app: App) -> [Incident] { [] }
  func silences(of app: App) -> [Silence] { [] }
  func deliveries() -> [String: [String: DeliveryState]] { [:] }
  func answer<Answer: Sendable>(
    to question: [String], about app: App, staleFor: Int64, _ read: () throws -> Answer
  ) throws -> Answer {
    try read()
  }
  func serverStatus() -> ServerStatus? { nil }
  func appStoreFigures(of app: App) -> [AppStoreFigure] { [] }
  func appStoreNotes(of app: App) -> AppStorePerformance { AppStorePerformance() }
  func labRuns(of app: App, foretelling metric: String) -> [LabRun] { [] }
  func icon(of app: App) -> [UInt8]? { nil }
  func body(of sample: StoredSample) -> [UInt8] { [] }
}
