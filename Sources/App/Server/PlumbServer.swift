public import Analysis
import Core
import Foundation
public import Logging
public import Outbound
import SQLiteStore
import Storage
import Symbols
import Web

/// A complete server on a data folder: HTTP, pipeline, retention, regrouping and, if requested, alerts.
///
///     let server = try PlumbServer(path, settings, options, logger: logger)
///     try server.start()
///     …
///     server.stop()
public final class PlumbServer {
  /// The options of the command line. Everything else comes from the settings.
  public struct Options {
    var listen: ListenAddress
    /// Whether clients on this machine need no login. Requires a loopback address to listen on.
    public var isOpen = false
    /// The public address of the server, for links.
    public var publicURL: PublicURL?
    /// The path of a budget file; nil to use the files in the data folder.
    public var budgets: String?
    /// Addresses and ranges of trusted proxies, separated by commas.
    public var trustedProxies: String?
    /// How often apps are evaluated and alerts are delivered; nil for never.
    public var checkEvery: DurationSetting?
    public var thresholds = AlertThresholds()
    /// The address at which other servers reach this one; nil for the public address.
    public var ownAddress: String?
    /// A PEM file of CA certificates to trust for other servers; nil for the system's certificates.
    public var caFile: String?
    /// How far the primary is followed; nil for a primary.
    var standby: StandbyState?
    /// The connection to systemd; nil if systemd did not start the process.
    var service = SystemdNotifier()
    /// The servers for the rows of a folder that does not name any; nil to use the folder's own.
    public var rowServers: ClickHouseServers?
    /// The wall clock, and a monotonic clock in milliseconds.
    var clocks = (wall: WallClock.now, elapsed: PlausibleClock.sinceBoot)
    /// Overrides the file system's free space, for tests.
    var freeSpace: (@Sendable () throws -> FreeSpace)?

    public init(listen: ListenAddress) { self.listen = listen }

    /// The address at which other servers reach this one.
    var address: String {
      ownAddress ?? publicURL?.description ?? "http://\(listen.hostForURL):\(listen.port)"
    }

    /// The primary that a standby follows.
    public struct Primary {
      public let address: String
      let token: Secret
      let caFile: String?

      public init(address: String, token: Secret, caFile: String?) {
        (self.address, self.token, self.caFile) = (address, token, caFile)
      }
    }
  }

  private let installation: Installation
  private let settings: Settings
  private let options: Options
  private let logger: Logger
  /// The lock on the folder, held until `stop`.
  private var lock: FolderLock?
  let pipeline: Pipeline
  private let space: SpaceWatch
  private let backlog: BacklogWatch
  private let health: ServerStatusCollector
  private let rows: PeriodicTask
  private let server: HTTPServer
  /// The configured number of connections.
  private let connections: Int
  private let alerts: AlertService?
  private let dataVersion: DataChangeToken
  let epochs: EpochWatch
  private let replication: ReplicationSource
  private let symbols: SymbolFolder
  private var tasks: [PeriodicTask] = []
  /// The number of nightly copies to keep; nil if none are made.
  private let copiesKept: Int?

  /// Opens the folder, upgrades its databases and starts to digest, but does not listen yet. Throws `UsageError` for
  /// invalid settings, and `UserFacingError` if another server uses the folder.
  public init(_ path: String, _ settings: Settings, _ options: Options, logger: Logger) throws {
    guard !options.isOpen || LoopbackRule.isLoopback(listener: options.listen.host) else {
      throw UsageError(
        "--open requires a loopback address such as 127.0.0.1, found \(options.listen.host), which other machines can "
          + "reach.")
    }
    let channels = try settings.alerts()
    copiesKept =
      try settings.value("nightly-copy", flag: nil) == nil ? nil : settings.number("nightly-copy", default: 7)
    // The lock is taken before a migration, which a running server may not survive.
    let folder = try DataFolder(creating: path)
    guard let lock = try FolderLock(path: folder.serveLock) else {
      throw UserFacingError(
        "Another server, or a command that needs exclusive access, is using the data folder \(folder.url.path). Stop "
          + "it, or choose another folder with --data.")
    }
    if try !AutomaticBackups(folder).older().isEmpty,
      try FolderLock(path: folder.digestLock) == nil || FolderLock(path: folder.useLock) == nil
    {
      throw UserFacingError(
        "The databases in \(folder.url.path) must be upgraded, but another command is using them. Wait until it ends.")
    }
    if let folder = DataFolder(existing: path), let copy = try AutomaticBackups(folder).makeBeforeMigration(now: Date())
    {
      logger.notice("The databases of an older version were copied to \(copy) and are now being upgraded.")
    }
    if options.standby == nil { try StandbyMarker.refuse(folder) }
    let installation = try Installation.creating(path, migrates: true, isServer: true)
    if let servers = options.rowServers { try installation.use(servers) }
    let symbols = try installation.usableSymbols(settings, logger)
    let symbolizer = try Symbolizer.ofProcess(symbols, settings) { logger.warning("\($0)") }
    if let warning = try settings.sandbox().warning { logger.warning("\(warning)") }
    let quota = try WriteQuota(settings)
    pipeline = try Pipeline(
      installation, migrating: true, staying: true, limits: try settings.sampleLimits(),
      retention: try settings.retention(), symbols: symbolizer, logger: logger,
      clock: options.clocks.wall, elapsed: options.clocks.elapsed, standbyOf: options.standby?.primary,
      journaled: { quota.noteJournaled($0, waits: true, at: $1) })
    epochs = EpochWatch(
      journal: pipeline.journal, secret: try installation.secret(), address: options.address, caFile: options.caFile,
      logger: logger)
    if options.standby == nil {
      // Before the server listens: a primary that was replaced must accept nothing, not even for a moment.
      try epochs.look()
      if let successor = try pipeline.journal.epoch().successor {
        pipeline.stop()
        throw UserFacingError("\(SupersededPrimary(successor))")
      }
    }
    self.symbols = symbols
    replication = ReplicationSource(installation, symbols, epochs, logger, clock: pipeline.clock.now)
    let path = installation.folder.url.path
    space = SpaceWatch(
      try settings.spaceFloor(), logger, reserve: SpaceReserve(installation.folder),
      measure: options.freeSpace ?? { try FreeSpace.of(path) },
      growth: { [store = pipeline.store, clock = pipeline.clock] in try? store.growth(until: clock.now().day()) })
    backlog = BacklogWatch(
      pipeline.journal, limit: try settings.journalLimit(), waitingFor: "the digest", logger,
      applied: { [pipeline] in try pipeline.store.watermark(of: pipeline.journal.node) })
    health = ServerStatusCollector(installation, pipeline, space, backlog, try settings.retention())
    if !pipeline.isDigesting {
      logger.warning("Another process is digesting this folder. This server takes over when that process ends.")
    }
    rows = try PeriodicTasks(pipeline.clock, logger).rowQuota(quota, installation.control)
    pipeline.store.observe { [clock = pipeline.clock] news in
      quota.noteGrowth(news.growth.mapValues { ($0.records, $0.bytes) }, at: clock.now())
    }
    (self.installation, self.settings, self.options, self.logger, self.lock) = (
      installation, settings, options, logger, lock
    )
    let budgets = BudgetRepository(installation, file: options.budgets)
    // A standby knows the incidents of its primary and sends nothing.
    alerts =
      try options.standby != nil
      ? nil
      : options.checkEvery.map { [pipeline] _ in
        AlertService(
          installation, pipeline.store, BudgetRepository(installation, file: options.budgets),
          thresholds: options.thresholds, publicURL: options.publicURL?.description, channels: channels,
          floor: try settings.spaceFloor())
      }
    let version = DataChangeToken(installation.folder, budgets)
    // Registered after the pipeline's own observers: a page of the new version must not use old summaries.
    pipeline.store.observe { _ in version.note() }
    pipeline.observeChanges { version.note() }
    dataVersion = version
    let access = try AccessCache(installation.control, at: pipeline.clock.now(), logger)
    let serverSettings = try Self.serverSettings(settings, options)
    let receiver = PrimaryNodeService(installation, pipeline, epochs, logger) { [space, backlog] in
      space.level < .none && !backlog.isFull
    }
    let router = Router(
      PrimaryBackend(
        installation: installation, pipeline: pipeline, budgets: budgets, version: version, space: space,
        backlog: backlog, health: health, receiver: receiver, rows: quota, access: access,
        symbols: try installation.symbols(settings), replication: replication, epochs: epochs, standby: options.standby,
        settings: serverSettings, log: ServerLog(logger)))
    var configuration = HTTPServer.Configuration(host: options.listen.host, port: options.listen.port)
    configuration.threads = 2
    configuration.wall = { [clock = pipeline.clock] in clock.now().milliseconds }
    connections = configuration.connections
    configuration.trustedProxies = serverSettings.trustedProxies
    configuration.mountPath = serverSettings.mountPath
    // This bounds forms of at most 8 KiB. Payloads are charged to accounts.
    configuration.bodiesInFlight = 8 << 20
    server = HTTPServer(configuration: configuration, handler: router)
    router.observe(server)
  }

  /// The address and port that the server listens on, once it has started.
  var listening: ListenAddress { ListenAddress(host: options.listen.host, port: server.port) }

  /// Whether the disk has space for payloads.
  var hasRoom: Bool { space.level < .none }

  /// A follower of the primary, for a standby.
  func follower(_ client: StandbyClient, _ state: StandbyState) throws -> StandbyFollower {
    guard let marker = try StandbyMarker.read(installation.folder), let erasures = marker.erasures,
      let control = installation.control as? SQLiteControlStore
    else { throw UserFacingError("\(installation.folder.url.path) is not a complete standby.") }
    return StandbyFollower(client, pipeline, control, symbols, state, erasures: erasures, logger) { [space] in
      space.level < .none
    }
  }

  /// The address the server listens on, such as `http://127.0.0.1:8080`. Its port is 0 before `start`.
  var url: String { "http://\(options.listen.hostForURL):\(server.port)" }

  /// Starts to listen, and starts the periodic tasks.
  public func start() throws {
    try server.start()
    logger.info("Plumb listens on \(url)\(options.isOpen ? " (open to readers on this machine)" : "")")
    if server.connectionLimit < connections {
      logger.warning(
        """
        The limit of open files allows only \(server.connectionLimit) connections at once, instead of \(connections). \
        Raise it: LimitNOFILE= in the unit, or ulimit -n.
        """)
    }
    let periodic = PeriodicTasks(pipeline.clock, logger)
    let folder = installation.folder
    tasks = periodic.ofServer(pipeline, folder, health, space, backlog, dataVersion)
    if options.standby == nil { tasks += [rows] + periodic.ofPrimary(pipeline, epochs, replication) }
    if let kept = copiesKept { tasks.append(periodic.nightlyCopy(folder, keeping: kept, space)) }
    if let alerts, let span = options.checkEvery {
      let journal = pipeline.journal
      tasks.append(periodic.alerts(alerts, every: span) { journal.refusal != nil })
    }
    if let watchdog = options.service.flatMap({ periodic.watchdog($0, server) }) { tasks.append(watchdog) }
    for task in tasks { task.start() }
    if let service = options.service {
      service.send("READY=1\nSTATUS=Listening on \(url)")
    }
  }

  /// Stops the server: answers the accepted requests, commits their records, digests for at most ten seconds, and
  /// releases the folder.
  public func stop() {
    options.service?.send("STOPPING=1")
    logger.info("Stopping: accepted payloads are being written to disk.")
    for task in tasks { task.stop() }
    server.stop { pipeline.drainWriter() }
    // Stores the quota usage of the last minute.
    if options.standby == nil { rows.run() }
    pipeline.stopDigest()
    lock = nil
  }

  /// The settings of the routes. Throws `UsageError`.
  private static func serverSettings(_ settings: Settings, _ options: Options) throws -> ServerSettings {
    let listen = options.listen
    var server = ServerSettings(
      host: listen.host, isOpen: options.isOpen,
      publicURL: options.publicURL?.description ?? "http://\(listen.hostForURL):\(listen.port)",
      mountPath: options.publicURL?.mountPath ?? .root,
      bodyLimit: try settings.number("body-limit", default: Settings.Default.bodyLimit),
      requestsPerSecond: try settings.number("requests-per-second", default: Settings.Default.requestsPerSecond),
      uploadLimit: try settings.number("upload-limit", default: Settings.Default.uploadLimit),
      trustedProxies: try settings.trustedProxies(flag: options.trustedProxies), version: BuildVersion.number,
      commit: BuildVersion.commit ?? "")
    (server.login, server.loginProxies) = try settings.login()
    guard server.login.provider == nil || OpenIDSettings.isAllowed(address: server.publicURL) else {
      throw UsageError(
        "login: oidc: `public-url` must begin with https://, or name this machine, because the provider redirects "
          + "users to \(server.publicURL)/login/oidc/callback.")
    }
    return server
  }
}
