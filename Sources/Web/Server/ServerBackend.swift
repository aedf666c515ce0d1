public import Analysis
public import Core
public import Ingest
public import Storage
public import Symbols

/// What the routes of payloads and of the server's state ask the application for: a primary or an ingest node.
public protocol PayloadBackend: Sendable {
  var settings: ServerSettings { get }
  var control: any ControlStore { get }
  /// Keys and tokens in memory.
  var access: AccessCache { get }
  var intake: Intake { get }
  /// The number of rows that each app has written today, and its limit.
  var rows: RowQuota { get }
  /// The time, also while the wall clock is wrong.
  func now() -> Timestamp
  /// What the disk has room for. Must not block.
  func room() -> DiskRoom
  /// Whether every key that exists now is known here, so that another one can be refused for good. Must not block.
  func knowsEveryKey() -> Bool
  /// A sentence about each reason why the server cannot keep or count payloads now. Must not block.
  func faults() -> [String]
  /// Sentences about what is missing on pages although payloads are kept. Must not block.
  func warnings() -> [String]
  /// The disk and what takes room on it, for `/metrics`. Must not read a database.
  func storage() -> ServerStatus?
  /// The servers with the rows; nil if the rows are in the data folder.
  func rowServers() -> RowServerStatus?
  /// The number of records that the digest has not applied yet; nil if unknown.
  func digestLag() -> Int64?
  /// When the last payload of each app was received.
  func lastReceived() throws -> [AppID: Timestamp]
  /// Metrics of ingest nodes and their relay, for `/metrics`.
  func nodeMetrics() throws -> [MetricFamily]
  /// Receives every error of the server.
  func report(_ error: any Error)
  /// Receives lines for the log that are not errors of the server.
  func notice(_ line: String)
}

/// What all routes of a primary ask the application for.
public protocol ServerBackend: PayloadBackend {
  /// The keyed hash of user ids, which also signs the cookies of known devices.
  var identity: IdentityHash { get }
  /// The folder of uploaded symbols.
  var symbols: SymbolFolder { get }
  var deletions: any DeletionService { get }
  var nodes: any NodeService { get }
  var gate: any ReleaseGate { get }
  /// The reader of an app's numbers, with the budgets that apply.
  func health(of app: App) throws -> HealthReader
  /// The reader of an app's groups of diagnostics.
  func groups(of app: App) throws -> GroupReader
  /// The binaries named in reports of an app's builds.
  func imagesSeen(of app: App) throws -> [SeenImage]
  /// The health of the server, for its page.
  func status() throws -> ServerStatus?
  /// Calls a closure during which all reads see one snapshot of the data.
  func snapshot(_ body: () throws -> Void) throws
  /// The version of the data behind pages, which differs after every change; nil if unknown.
  func dataVersion() -> UInt64?
  /// The versions of the apps' numbers; nil if unknown.
  func appVersions() -> AppVersions?
}

/// What the disk has room for.
public struct DiskRoom: Sendable {
  /// Whether payloads are taken.
  var takesPayloads = true
  /// Whether symbols are taken.
  var takesUploads = true
  /// Whether the disk is below its floor, so that the app that has written most is refused.
  var isShort = false
  /// What is wrong with the disk, as a sentence; nil while there is room.
  var warning: String?

  public init(takesPayloads: Bool = true, isShort: Bool = false, takesUploads: Bool = true, warning: String? = nil) {
    self.takesPayloads = takesPayloads
    self.isShort = isShort
    self.takesUploads = takesUploads
    self.warning = warning
  }
}

/// The settings of the HTTP routes.
public struct ServerSettings: Sendable {
  /// The address the server listens on, without its port.
  var host: String
  /// Whether clients on a loopback address need no login.
  var isOpen: Bool
  /// The public address of this server, without a slash at its end.
  public var publicURL: String
  /// The path of the public address, below which clients reach this server.
  public var mountPath: MountPath
  /// The largest body of a payload as sent, in bytes.
  var bodyLimit: Int
  /// The largest body of a payload after decompression, in bytes; at least `bodyLimit`.
  var decompressedLimit: Int
  /// The number of requests per second that one app may send.
  var requestsPerSecond: Int
  /// The largest upload of symbols, in bytes.
  var uploadLimit: Int
  /// The version and the commit of this binary, for `/metrics`.
  var version: String
  var commit: String
  /// Proxies whose `X-Forwarded-For` is trusted.
  public var trustedProxies: TrustedProxies
  /// How people sign in.
  public var login = LoginSettings()
  /// The proxies whose headers about users count; used only with `login.proxy`.
  public var loginProxies = TrustedProxies()

  public init(
    host: String, isOpen: Bool, publicURL: String, mountPath: MountPath = .root, bodyLimit: Int = 4 << 20,
    decompressedLimit: Int = 16 << 20, requestsPerSecond: Int = 50_000, uploadLimit: Int = 2 << 30,
    trustedProxies: TrustedProxies = TrustedProxies(), version: String = "", commit: String = ""
  ) {
    self.version = version
    self.commit = commit
    self.host = host
    self.isOpen = isOpen
    self.publicURL = publicURL
    self.mountPath = mountPath
    self.bodyLimit = bodyLimit
    self.decompressedLimit = max(bodyLimit, decompressedLimit)
    self.requestsPerSecond = requestsPerSecond
    self.uploadLimit = uploadLimit
    self.trustedProxies = trustedProxies
  }
}
