import ClickHouseServer
import HealthScene
import Synchronization
import Testing
import TestSupport

@testable import Analysis
@testable import ClickHouseStore
@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage
@testable import Web

/// One contract, two stores: whatever people and programs see of an app.
@Suite(
  "Pages with a store in ClickHouse", .serialized,
  .enabled(if: ClickHouseServer.Engine.installed.contains(.server), "`make test-packages` installs Debian's server"))
struct PageContractTests {
  private static let budgets = """
    budgets:
      - "sessions.crash_free >= 99.5%"
      - "p90 launch.first_draw <= 400 ms"
      - "p95 screen.load <= 2 s"
    """

  /// Four weeks of two releases: sessions of which some crash later, measurements with labels, crashes, MetricKit's exits.
  private static func bodies() -> [String] {
    var random = SeededRandom(seed: 28)
    var bodies: [String] = []
    for day in 0..<28 {
      let date = (Scene.today - day).iso
      for version in day < 10 ? ["4.2.0", "4.3.0"] : ["4.2.0"] {
        let model = Bool.random(using: &random) ? "iPhone15,2" : "iPad14,3"
        for user in 0..<6 {
          let id = "s-\(day)-\(version)-\(user)"
          let status = Int.random(in: 0..<20, using: &random) == 0 ? "crashed" : "exited"
          bodies.append(
            Scene.native(
              version: version, build: "7", model: model, installation: "u\(user % 5)",
              """
              "sessions": [{"id": "\(id)", "started": "\(date)T0\(user % 10):10:00Z", "status": "\(status)"}],
              "measurements": [
                {"metric": "launch.first_draw", "value": \(Int.random(in: 150...600, using: &random)), "unit": "ms",
                 "at": "\(date)T10:00:00Z"},
                {"metric": "screen.load", "value": \(Int.random(in: 300...3000, using: &random)), "unit": "ms",
                 "at": "\(date)T10:00:00Z", "label": "\(user % 2 == 0 ? "Home" : "Cart")"}]
              """))
        }
        bodies.append(
          Scene.native(
            version: version, build: "7", model: model, installation: "u1",
            """
            "crashes": [{"at": "\(date)T11:00:00Z", "session": "s-\(day)-\(version)-1", "exception": "EXC_BAD_ACCESS",
              "frames": [{"binary": "Shop", "offset": \(64 + day % 3)}]}]
            """))
      }
    }
    return bodies + (0..<8).map { ExitPayload.body($0, hangs: [("250 ms", "500 ms", $0 + 1)]) }
  }

  /// Updates of sessions that are known: now crashed, of another release, or with a user.
  private static func updates() -> [String] {
    (0..<10).map { day in
      Scene.native(
        version: "4.3.0", build: "7", installation: "u\(day)",
        """
        "sessions": [{"id": "s-\(day)-4.2.0-2", "started": "\((Scene.today - day).iso)T02:10:00Z", "status": "crashed"}]
        """)
    }
  }

  private static func source(_ store: some Store & ArrivalHistory & UpdateAgeCounts & GroupStore) throws -> OneApp {
    let budgets = try BudgetFile.parse(budgets, fileName: "budgets.yaml").budgets
    let health = HealthReader(store: store, budgets: budgets)
    let groups = GroupReader(store: store, health: health, states: NoDecisions(), symbols: NoSymbols()) { _ in
      CallTree()
    }
    return OneApp(app: Scene.app, now: Scene.now, health: health, groups: groups)
  }

  private static func files(_ store: some Store & ArrivalHistory & UpdateAgeCounts & GroupStore) throws -> [String:
    [UInt8]]
  {
    var files: [String: [UInt8]] = [:]
    let export = SiteExport(try source(store), PageContext(linkStyle: .files, renderedAt: Scene.now)) { files[$1] = $0 }
    try export.writeShared()
    try export.write(app: Scene.app.bundleID, budgetError: nil)
    return files
  }

  @Test("every page and data file from a ClickHouse store equals SQLite's, byte for byte")
  func pages() throws {
    try withFolder { folder in
      let scene = try Scene()
      let servers = try ClickHouseServer.shards(2)
      let cluster = FactCluster(servers.map { $0.client() }, name: "shards") { Scene.now }
      #expect(try cluster.migrate().count == 2 && cluster.migrate().isEmpty)
      let ledger = try SQLiteStore(path: folder + "/ledger.db", facts: cluster)
      let sender = try cluster.sender(for: ledger)
      let bodies = Self.bodies()
      for part in [bodies[..<100], bodies[100...], Self.updates()[...]] {
        try scene.receive(Array(part))
        try scene.digest(into: ledger)
        #expect(try sender.send(now: Scene.now).stored > 0)
      }
      let (expected, found) = (try Self.files(scene.store), try Self.files(ledger))
      #expect(expected.count > 40 && found.keys.sorted() == expected.keys.sorted())
      let different = expected.keys.filter { found[$0] != expected[$0] }.sorted()
      #expect(different == [])
      for name in different.prefix(3) { Self.record(name, expected[name] ?? [], found[name] ?? []) }
      #expect(expected.values.contains { String(decoding: $0, as: UTF8.self).contains("4.3.0") })
    }
  }

  /// A page as a server answers, which reads it in one snapshot.
  private static func page(
    _ definition: any PageDefinition.Type, _ arguments: [String] = [], _ parameters: [String: String],
    _ store: SQLiteStore
  ) throws -> [UInt8] {
    let source = try source(store)
    let filters = parameters.filter { $0.key != "from" && $0.key != "to" }
    let kind = "\(definition) \(filters.keys.sorted())"
    let names = filters.merging(arguments.enumerated().map { ("\($0)", $1) }) { $1 }
    let purpose = ReadPurpose(
      kinds: ["\(kind) \(arguments) \(filters["where"] ?? "")", kind],
      from: parameters["from"].flatMap(CalendarDay.init(iso:)), names: names)
    return try ReadPurpose.$current.withValue(purpose) {
      try store.snapshot {
        let request = PageRequest(source, arguments: [Scene.app.bundleID] + arguments) { parameters[$0] }
        return try #require(try definition.content(request, PageContext(linkStyle: .served))).render()
      }
    }
  }

  @Test("a page asks ClickHouse six times at most, when one like it was read before, and equals SQLite's")
  func statements() throws {
    try withFolder { folder in
      let scene = try Scene()
      let servers = try ClickHouseServer.shards(2)
      let cluster = FactCluster(servers.map { $0.client() }, name: "shards") { Scene.now }
      try cluster.migrate()
      let counted = CountedFacts(cluster)
      let ledger = try SQLiteStore(path: folder + "/ledger.db", facts: counted)
      try scene.receive(Self.bodies())
      try scene.digest(into: ledger)
      #expect(try cluster.sender(for: ledger).send(now: Scene.now).stored > 0)
      let filters: [[String: String]] = [
        [:], ["device": "iPhone15,2"], ["device": "iPad14,3"], ["release": "4.3.0", "device": "iPad14,3"],
        ["release": "4.2.0", "device": "iPhone15,2"], ["os": "iOS 17.4.1"], ["release": "4.2.0"],
      ]
      for (page, arguments) in [
        (AppPage.self as any PageDefinition.Type, []), (MetricPage.self, ["launch.first_draw"]),
        (SessionsPage.self, []), (ReleasePage.self, ["4.2.0"]), (ReleasePage.self, ["4.3.0"]), (MetricsPage.self, []),
      ] {
        var kinds: Set<[String]> = []
        for filter in filters {
          for (from, to) in [(27, 0), (20, 0), (9, 1)] {
            let window = ["from": (Scene.today - from).iso, "to": (Scene.today - to).iso].merging(filter) { $1 }
            counted.calls.withLock { $0 = [] }
            let found = try Self.page(page, arguments, window, ledger)
            let calls = counted.calls.withLock { $0 }
            #expect(found == (try Self.page(page, arguments, window, scene.store)), "\(page) \(window)")
            if kinds.insert(filter.keys.sorted()).inserted { continue }
            #expect(calls.count <= 6, "\(page) \(window) \(calls.dropFirst(2))")
          }
        }
      }
    }
  }

  /// Says where two files begin to differ.
  private static func record(_ name: String, _ expected: [UInt8], _ found: [UInt8]) {
    let start = zip(expected, found).prefix { $0 == $1 }.count
    func part(_ bytes: [UInt8]) -> String {
      String(decoding: bytes.dropFirst(max(0, start - 60)).prefix(160), as: UTF8.self)
    }
    Issue.record("\(name) at \(start): \(part(expected))\n≠ \(part(found))")
  }
}

/// No decisions and notes of people.
private struct NoDecisions: GroupDecisions, GroupNotes {
  func groupStates(of app: AppID) throws -> [UInt64: GroupDecision] { [:] }
  func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws {}
  func groupNotes(of app: AppID) throws -> [UInt64: GroupNote] { [:] }
  func setNote(_ note: GroupNote, of app: AppID, group: UInt64, replacing: [UInt64]) throws {}
}

/// What pages read of one app, without incidents.
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

/// Facts whose calls are counted. A call takes one statement; for very many users, two.
private final class CountedFacts: FactTable {
  private let facts: FactCluster
  let calls = Mutex<[String]>([])

  init(_ facts: FactCluster) { self.facts = facts }

  var mostFacts: Int { facts.mostFacts }
  func encode(_ all: [Fact], _ block: BlockID, of node: NodeID, received: CalendarDay) -> [UInt8] {
    facts.encode(all, block, of: node, received: received)
  }
  func state() throws -> FactTableState {
    calls.withLock { $0.append("state") }
    return try facts.state()
  }
  func rows(_ queries: [RowQuery]) throws -> [[MetricRow]] {
    calls.withLock { $0.append("\(queries)") }
    return try facts.rows(queries)
  }
  func releases(of app: AppID) throws -> [KnownRelease] { try facts.releases(of: app) }
  func stored(_ app: AppID, _ kind: SliceKind, from day: CalendarDay) throws -> [StoredFact] {
    try facts.stored(app, kind, from: day)
  }
  func delete(_ part: FactPart, isTrial: Bool) throws -> Int { try facts.delete(part, isTrial: isTrial) }
  func expire(_ retention: Retention, today: CalendarDay) throws { try facts.expire(retention, today: today) }
}
