public import Analysis
public import Core
public import Ingest
public import Storage
public import Symbols

/// The services that the routes of payloads and server state need from the application, a primary or an ingest node.
public protocol PayloadBackend: Sendable {
  var settings: ServerSettings { get }
  var control: any ControlStore { get }
  /// The cache of keys and tokens.
  var access: AccessCache { get }
  var intake: Intake { get }
  /// The number of rows that each app has written today, and its limit.
  var rows: WriteQuota { get }
  /// The current time, which is plausible even if the wall clock is wrong.
  func now() -> Timestamp
  /// What there is enough disk space for. Must not block.
  func room() -> DiskRoom
  /// Whether all existing keys are known, so that an unknown key can be rejected for good. Must not block.
  func knowsEveryKey() -> Bool
  /// The reasons, as sentences, why the server cannot store or count payloads now. Must not block.
  func faults() -> [String]
  /// Sentences about data missing from pages although payloads are stored. Must not block.
  func warnings() -> [String]
  /// Disk space and its use, for `/metrics`. Must not read a database.
  func storage() -> ServerStatus?
  /// The servers with the rows; nil if the rows are in the data folder.
  func rowServers() -> ClickHouseServerStatus?
  /// The number of records that the digest has not applied yet; nil if unknown.
  func digestLag() -> Int64?
  /// When the last payload of each app was received.
  func lastReceived() throws -> [AppID: Timestamp]
  /// Metrics of ingest nodes and their relay, for `/metrics`.
  func nodeMetrics() throws -> [MetricFamily]
  /// Logs an error of the server.
  func report(_ error: any Error)
  /// Logs a line that is not an error of the server.
  func notice(_ line: String)
}

/// The services that all routes of a primary need from the application.
public protocol ServerBackend: PayloadBackend {
  /// The keyed hash of user ids, which also signs the cookies of known devices.
  var identity: KeyedIDHash { get }
  /// The folder of uploaded symbols.
  var symbols: SymbolFolder { get }
  var deletions: any DeletionService { get }
  var nodes: any NodeService { get }
  var gate: any ReleaseGate { get }
  /// The service for standbys, and the exchange of epochs.
  var replication: any ReplicationService { get }
  /// The address of the primary that this server is a standby of; nil for a primary.
  var standbyOf: String? { get }
  /// The reader of an app's metrics, with the budgets that apply.
  func health(of app: App) throws -> HealthReader
  /// The reader of an app's groups of diagnostics.
  func groups(of app: App) throws -> GroupReader
  /// The binaries in reports of an app's builds.
  func imagesSeen(of app: App) throws -> [SeenImage]
  /// The health of the server, for its page.
  func status() throws -> ServerStatus?
  /// Calls a closure in which all reads see one snapshot of the data.
  func snapshot(_ body: () throws -> Void) throws
  /// The version of the data behind pages, which differs after every change; nil if unknown.
  func dataVersion() -> UInt64?
  /// The versions of the apps' data; nil if unknown.
  func appVersions() -> AppVersions?
}

/// What there is enough disk space for.
public struct DiskRoom: Sendable {
  /// Whether payloads are accepted.
  var takesPayloads = true
  /// Whether symbols are accepted.
  var takesUploads = true
  /// Whether free space is below the floor, so that the app that has written the most is refused.
  var isShort = false
  /// The problem with the disk, as a sentence; nil if there is enough space.
  var warning: String?

  public init(takesPayloads: Bool = true, isShort: Bool = false, takesUploads: Bool = true, warning: String? = nil) {
    self.takesPayloads = takesPayloads
    self.isShort = isShort
    self.takesUploads = takesUploads
    self.warning = warning
  }
}
