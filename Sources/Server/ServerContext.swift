public import Access
public import HTTP
public import Health
public import Intake
public import Pages
public import Storage
public import Symbols
public import Telemetry

/// The dependencies of the routes: stores, readers, settings, clock and log.
public struct ServerContext: Sendable {
  public var control: any ControlStore
  public var access: AccessCache
  public var intake: Intake
  /// Makes the reader of an app's numbers, with the budgets that apply.
  public var health: @Sendable (App) throws -> HealthReader
  /// Makes the reader of an app's groups of diagnostics.
  public var groups: @Sendable (App) throws -> GroupReader
  /// What the disk has room for. Must not block.
  public var room: @Sendable () -> DiskRoom
  /// The health of the server, for its page.
  public var status: @Sendable () throws -> ServerStatus?
  /// The disk and what takes room on it, for `/metrics`. Must not read a database.
  public var storage: @Sendable () -> ServerStatus?
  /// Passes requests to delete on; nil if the server takes none.
  public var deletions: DeletionRequests?
  /// Sentences about what is missing on pages although payloads are kept. Must not block.
  public var warnings: @Sendable () -> [String] = { [] }
  /// The servers with the rows; nil if the rows are in the data folder.
  public var rowServers: @Sendable () -> RowServerStatus? = { nil }
  /// Judges releases for `plumb check` and `plumb compare` elsewhere; nil if the server does not.
  public var gate: ReleaseGate?
  /// What the server does for ingest nodes; nil if it takes none.
  public var nodes: NodeService?
  /// Whether every key that exists now is known here, so that another one can be refused for good. Must not block.
  public var knowsEveryKey: @Sendable () -> Bool = { true }
  /// Metrics of the application itself, for `/metrics`.
  public var ownFamilies: @Sendable () throws -> [MetricFamily] = { [] }
  /// The folder of uploaded symbols; nil if the server stores none.
  public var symbols: SymbolFolder?
  /// The binaries named in reports of an app's builds.
  public var imagesSeen: @Sendable (App) throws -> [SeenImage]
  /// The number of records that the digest has not applied yet; nil if unknown.
  public var digestLag: @Sendable () -> Int64?
  /// When the last payload of each app was received.
  public var lastReceived: @Sendable () throws -> [AppID: Timestamp]
  /// A sentence about each reason why the server cannot keep or count payloads now. Must not block.
  public var faults: @Sendable () -> [String]
  /// The version of the data behind pages, which differs after every change; nil if unknown.
  public var dataVersion: @Sendable () -> UInt64?
  /// The versions of the apps' numbers; nil if unknown.
  public var appVersions: @Sendable () -> AppVersions?
  /// Calls a closure during which all reads see one snapshot of the data.
  public var snapshot: @Sendable (() throws -> Void) throws -> Void
  /// The keyed hash that signs the cookies of known devices.
  public var identity: IdentityHash
  /// The number of rows that each app has written today, and its limit.
  public var rows: RowQuota
  public var settings: ServerSettings
  public var clock: @Sendable () -> Timestamp
  /// Receives errors of the server, for its log.
  private let errors: @Sendable (any Error) -> Void
  /// Receives lines for the log that are not errors of the server.
  private let notices: @Sendable (String) -> Void
  private let lines = RepeatedLines()

  public init(
    control: any ControlStore, access: AccessCache, intake: Intake,
    health: @escaping @Sendable (App) throws -> HealthReader,
    groups: @escaping @Sendable (App) throws -> GroupReader, digestLag: @escaping @Sendable () -> Int64?,
    faults: @escaping @Sendable () -> [String] = { [] },
    lastReceived: @escaping @Sendable () throws -> [AppID: Timestamp] = { [:] },
    room: @escaping @Sendable () -> DiskRoom = { DiskRoom() },
    status: @escaping @Sendable () throws -> ServerStatus? = { nil },
    storage: @escaping @Sendable () -> ServerStatus? = { nil }, deletions: DeletionRequests? = nil,
    symbols: SymbolFolder? = nil, imagesSeen: @escaping @Sendable (App) throws -> [SeenImage] = { _ in [] },
    dataVersion: @escaping @Sendable () -> UInt64?, appVersions: @escaping @Sendable () -> AppVersions? = { nil },
    snapshot: @escaping @Sendable (() throws -> Void) throws -> Void, identity: IdentityHash, rows: RowQuota,
    settings: ServerSettings,
    clock: @escaping @Sendable () -> Timestamp,
    report: @escaping @Sendable (any Error) -> Void, notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.identity = identity
    self.rows = rows
    notices = notice
    self.control = control
    self.faults = faults
    self.lastReceived = lastReceived
    self.room = room
    self.status = status
    self.storage = storage
    self.deletions = deletions
    self.access = access
    self.intake = intake
    self.health = health
    self.groups = groups
    self.digestLag = digestLag
    self.dataVersion = dataVersion
    self.appVersions = appVersions
    self.snapshot = snapshot
    self.symbols = symbols
    self.imagesSeen = imagesSeen
    self.settings = settings
    self.clock = clock
    errors = report
  }

  /// Logs an error of the server, once a minute for each place in the program.
  func report(_ error: any Error, file: StaticString = #fileID, line: UInt = #line) {
    lines.add("\(file):\(line)") { [errors] more in errors(more == 0 ? error : RepeatedError(error, more)) }
  }

  /// Logs a line that is not an error of the server, once a minute for each place in the program.
  func notice(_ text: String, file: StaticString = #fileID, line: UInt = #line) {
    lines.add("\(file):\(line)") { [notices] more in notices(RepeatedLines.text(text, more)) }
  }
}

/// What the disk has room for.
public struct DiskRoom: Sendable {
  /// Whether payloads are taken.
  public var takesPayloads = true
  /// Whether symbols are taken.
  public var takesUploads = true
  /// What is wrong with the disk, as a sentence; nil while there is room.
  public var warning: String?

  public init(takesPayloads: Bool = true, takesUploads: Bool = true, warning: String? = nil) {
    self.takesPayloads = takesPayloads
    self.takesUploads = takesUploads
    self.warning = warning
  }
}

/// The settings of the HTTP routes.
public struct ServerSettings: Sendable {
  /// The address the server listens on, without its port.
  public var host: String
  /// Whether clients on a loopback address need no login.
  public var isOpen: Bool
  /// The public address of this server, without a slash at its end.
  public var publicURL: String
  /// The path of the public address, below which clients reach this server.
  public var mountPath: MountPath
  /// The largest body of a payload as sent, in bytes.
  public var bodyLimit: Int
  /// The largest body of a payload after decompression, in bytes; at least `bodyLimit`.
  public var decompressedLimit: Int
  /// The number of requests per second that one app may send.
  public var requestsPerSecond: Int
  /// The largest upload of symbols, in bytes.
  public var uploadLimit: Int
  /// The version and the commit of this binary, for `/metrics`.
  public var version: String
  public var commit: String
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
