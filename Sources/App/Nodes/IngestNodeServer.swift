import Core
import Foundation
import Ingest
public import Logging
public import Outbound
import SQLiteStore
import Storage
import Web

/// An ingest node: stores payloads in its own journal and relays the journal to the primary, which digests it.
///
///     let node = try IngestNodeServer(path, settings, options, logger: logger)
///     try node.start()
///     …
///     node.stop()
public final class IngestNodeServer {
  /// The options of the command line. Everything else comes from the settings.
  public struct Options {
    var listen: ListenAddress
    /// The primary's address without a slash at its end.
    var primary: String
    /// Addresses that the primary may have after a standby was promoted.
    public var otherPrimaries: [String] = []
    var token: Secret
    /// The path of a PEM file of CA certificates to trust; nil for the system's certificates.
    public var caFile: String?
    /// The node's name on the primary.
    var name: String
    /// Addresses and ranges of trusted proxies, separated by commas.
    public var trustedProxies: String?
    /// The connection to systemd; nil if systemd did not start the process.
    var service = SystemdNotifier()

    public init(listen: ListenAddress, primary: String, token: Secret, name: String) {
      (self.listen, self.primary, self.token, self.name) = (listen, primary, token, name)
    }
  }

  private let options: Options
  private let logger: Logger
  private var lock: FolderLock?
  private let folder: NodeFolder
  private let writer: JournalWriter
  private let readiness: Readiness
  private let data: DataFolder
  private let relay: NodeRelay
  private let refresh: ConfigurationRefresh
  private let epochs: NodeEpochWatch
  private let rows: PeriodicTask
  private let clock = PlausibleClock(newest: nil)
  private let space: SpaceWatch
  private let backlog: BacklogWatch
  private let server: HTTPServer
  private let retention: Retention
  private var tasks: [PeriodicTask] = []

  /// Opens the folder, and fetches the configuration if the folder has none, but does not listen yet. Throws
  /// `UsageError` for invalid settings. Throws `UserFacingError` for the folder of a primary, and if the primary cannot
  /// be reached at the first start.
  public init(_ path: String, _ settings: Settings, _ options: Options, logger: Logger) throws {
    (self.options, self.logger) = (options, logger)
    let client = PrimaryClient(
      PrimaryClient.Server(address: options.primary, token: options.token, caFile: options.caFile),
      others: options.otherPrimaries, name: options.name)
    let data = try NodeFolder.prepared(path)
    lock = try FolderLock(path: data.serveLock)
    guard lock != nil else {
      throw UserFacingError(
        "Another server is using the data folder \(data.url.path). Stop it, or choose another folder with --data.")
    }
    let folder = try NodeFolder(data, client)
    self.folder = folder
    let identity = KeyedIDHash(secret: folder.secret)
    // A node knows no earlier receipts, but does not follow clock jumps either.
    let clock = clock
    let readiness = Readiness(logger, clock: clock.now)
    (self.readiness, self.data) = (readiness, data)
    let relay = NodeRelay(
      folder.journal, try folder.journal.openRelay(), client, fingerprint: NodeConfiguration.fingerprint(identity),
      logger)
    self.relay = relay
    let tallies = OutcomeCounter(clock: clock.now)
    let quota = try WriteQuota(settings)
    let writer = JournalWriter(
      journal: folder.journal, counts: tallies.drain, failed: { readiness.failed(.journal, $0) },
      // Store growth is counted by the primary.
      journaled: { quota.noteJournaled($0, waits: false, at: clock.now()) },
      committed: { _ in
        readiness.succeeded(.journal)
        relay.noteAppended()
      })
    self.writer = writer
    let intake = Intake(
      seal: Pseudonymizer(hash: { identity.hash($0, scope: $1) }),
      context: AppSettingsCache(folder.control, clock: clock.now) {
        logger.error("An app's settings cannot be read: \($0)")
      }.context, writer: writer, tallies: tallies)
    refresh = ConfigurationRefresh(client, folder.control, secret: folder.secret, tag: folder.tag, logger)
    epochs = NodeEpochWatch(client, secret: folder.secret, caFile: options.caFile, logger)
    retention = try settings.retention()
    space = SpaceWatch(
      try settings.spaceFloor(), logger, reserve: SpaceReserve(data), measure: { try FreeSpace.of(data.url.path) })
    backlog = BacklogWatch(
      folder.journal, limit: try settings.journalLimit(), waitingFor: "the primary", logger,
      applied: { relay.status.position })
    rows = try PeriodicTasks(clock, logger).rowQuota(quota, folder.control)
    let serverSettings = ServerSettings(
      host: options.listen.host, isOpen: false, publicURL: options.primary,
      bodyLimit: try settings.number("body-limit", default: Settings.Default.bodyLimit),
      requestsPerSecond: try settings.number("requests-per-second", default: Settings.Default.requestsPerSecond),
      trustedProxies: try settings.trustedProxies(flag: options.trustedProxies), version: BuildVersion.number,
      commit: BuildVersion.commit ?? "")
    let router = Router(
      NodeBackend(
        journal: folder.journal, relay: relay, refresh: refresh, epochs: epochs, readiness: readiness, space: space,
        backlog: backlog,
        control: folder.control, intake: intake, rows: quota, clock: clock,
        access: try AccessCache(folder.control, at: clock.now(), logger), settings: serverSettings,
        log: ServerLog(logger)), primary: options.primary)
    var configuration = HTTPServer.Configuration(host: options.listen.host, port: options.listen.port)
    configuration.trustedProxies = serverSettings.trustedProxies
    configuration.wall = { clock.now().milliseconds }
    configuration.bodiesInFlight = 8 << 20
    server = HTTPServer(configuration: configuration, handler: router)
    router.observe(server)
  }

  /// The address the node listens on, such as `http://127.0.0.1:8080`. Its port is 0 before `start`.
  var url: String { "http://\(options.listen.hostForURL):\(server.port)" }

  /// Starts to listen and to relay.
  public func start() throws {
    writer.start()
    try server.start()
    relay.start()
    logger.info("Plumb listens on \(url), an ingest node of \(options.primary)")
    let periodic = PeriodicTasks(clock, logger)
    tasks = periodic.ofNode(folder.journal, relay, retention, refresh, epochs, readiness, data, space, backlog) + [rows]
    if let watchdog = options.service.flatMap({ periodic.watchdog($0, server) }) { tasks.append(watchdog) }
    for task in tasks { task.start() }
    if let service = options.service {
      service.send("READY=1\nSTATUS=Listening on \(url)")
    }
  }

  /// Answers the accepted requests, commits their records, relays for at most five seconds, and releases the folder.
  public func stop() {
    options.service?.send("STOPPING=1")
    logger.info("Stopping: accepted payloads are being written to disk.")
    for task in tasks { task.stop() }
    server.stop { writer.stop() }
    // Stores the quota usage of the last minute.
    rows.run()
    relay.stop()
    lock = nil
  }
}
