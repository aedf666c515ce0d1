import Analysis
import Core
import Ingest
import Logging
import SQLiteStore
import Storage
import Symbols
import Web

/// The backend of a server's routes: its data folder and its pipeline.
struct PrimaryBackend: ServerBackend {
  let installation: Installation
  let pipeline: Pipeline
  let budgets: BudgetRepository
  let version: DataChangeToken
  let space: SpaceWatch
  let backlog: BacklogWatch
  let health: ServerStatusCollector
  let receiver: PrimaryNodeService
  let rows: WriteQuota
  let access: AccessCache
  let symbols: SymbolFolder
  let replication: any ReplicationService
  let epochs: EpochWatch
  /// How far the primary is followed; nil for a primary.
  let standby: StandbyState?
  let settings: ServerSettings
  let log: ServerLog

  var control: any ControlStore { installation.control }
  var intake: Intake { pipeline.intake }
  var identity: KeyedIDHash { pipeline.identity }
  var deletions: any DeletionService { pipeline.erasures }
  var nodes: any NodeService { receiver }
  var gate: any ReleaseGate { FolderGate(installation, pipeline.store, budgets) }

  func now() -> Timestamp { pipeline.clock.now() }

  func health(of app: App) -> HealthReader { budgets.shownHealth(of: app, pipeline.store) }

  func groups(of app: App) -> GroupReader {
    GroupReader(
      installation, pipeline.store, health(of: app), symbols: pipeline.symbols, limits: pipeline.samples.limits)
  }

  func imagesSeen(of app: App) throws -> [SeenImage] { try pipeline.store.imagesSeen(of: app) }

  func snapshot(_ body: () throws -> Void) throws { try pipeline.store.snapshot(body) }

  /// Unknown on a standby, whose pages show the time up to which they follow the primary.
  func dataVersion() -> UInt64? { standby == nil ? version.current : nil }

  /// Why the server is read-only, as a sentence; nil if it is not.
  private var refusal: String? { standby?.text ?? pipeline.journal.refusal.map { "\($0)" } }

  func appVersions() -> AppVersions? {
    pipeline.appChanges().map { AppVersions(common: $0.common &+ budgets.version, own: $0.own) }
  }

  func room() -> DiskRoom {
    let refusal = refusal
    return DiskRoom(
      takesPayloads: refusal == nil && space.level < .none && !backlog.isFull, isShort: space.level >= .short,
      takesUploads: refusal == nil && space.level < .short,
      warning: refusal ?? epochs.rivals.map { "\($0)" } ?? space.status?.warning)
  }

  func knowsEveryKey() -> Bool { true }

  /// A server that accepts no payloads is not ready, so that balancers send them to the primary.
  func faults() -> [String] { health.faults() + [refusal].compactMap(\.self) }

  var standbyOf: String? { standby?.primary }

  func warnings() -> [String] {
    pipeline.rowServerWarnings() + pipeline.readiness.warnings + (pipeline.clock.doubt.map { [$0] } ?? [])
  }

  func status() throws -> ServerStatus? { try health.status(now: now(), nodes: receiver.nodes()) }

  func storage() -> ServerStatus? { health.storage() }

  func rowServers() -> ClickHouseServerStatus? { pipeline.rowServers() }

  func digestLag() -> Int64? { pipeline.lag() }

  func lastReceived() throws -> [AppID: Timestamp] { try pipeline.store.lastReceived() }

  func nodeMetrics() throws -> [MetricFamily] {
    if let standby {
      return [
        MetricFamily(
          name: "standby_seconds",
          help: "Seconds since this standby last had all that its primary had, or since its start.",
          samples: [("", Double(standby.age(at: WallClock.now())) / 1000)])
      ]
    }
    let rivals = MetricFamily(
      name: "rival_primaries", help: "Whether another server was promoted to the epoch of this primary.",
      samples: [("", epochs.rivals == nil ? 0 : 1)])
    let nodes = try receiver.nodes()
    guard !nodes.isEmpty else { return [rivals] }
    func family(_ name: String, _ help: String, _ value: (IngestNode) -> Double) -> MetricFamily {
      MetricFamily(
        name: name, help: help,
        samples: nodes.map { (MetricFamily.labels([("node", $0.id.text), ("name", $0.name)]), value($0)) })
    }
    let now = now().milliseconds
    return [
      rivals,
      family("node_position", "The last record of an ingest node's journal that this primary has received.") {
        Double($0.position)
      },
      family("node_heard_seconds", "Seconds since an ingest node last contacted this primary.") {
        Double(max(0, now - $0.heard.milliseconds)) / 1000
      },
    ]
  }

  func report(_ error: any Error) { log.errors.add("\(error)") }

  func notice(_ line: String) { log.notices.add(line) }
}

/// The log of the routes. Repeated lines are combined, because requests decide how many there are.
struct ServerLog: Sendable {
  let errors: LogThrottle
  let notices: LogThrottle

  init(_ logger: Logger) {
    errors = LogThrottle { logger.error("\($0)") }
    notices = LogThrottle { logger.warning("\($0)") }
  }
}

extension AccessCache {
  /// The keys and tokens of a control database. Read errors are logged.
  convenience init(_ store: any ControlStore, at now: Timestamp, _ logger: Logger) throws {
    try self.init(store: store, at: now) { logger.error("The control database cannot be read: \($0)") }
  }
}
