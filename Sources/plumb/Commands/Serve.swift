import Access
import ArgumentParser
import Dispatch
import Foundation
import HTTP
import Health
import Logging
import SQLiteStore
import Server
import Symbols
import Telemetry

/// `plumb serve`
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Receive payloads and show the dashboard.",
    discussion: """
      Example:
        plumb serve --listen 127.0.0.1:8080 --data plumb-data

      Reading needs a login (`plumb user add`) or a read token (`plumb token add`). `--open` lifts that for readers on
      this machine.
      """)

  @OptionGroup var folder: FolderOptions

  @Option(help: "Address and port. (PLUMB_LISTEN; default: 127.0.0.1:8080)")
  var listen: String?

  @Flag(help: "Readers on this machine need no login. For loopback addresses only.")
  var open = false

  @Option(name: .customLong("public-url"), help: "Where people and apps reach this server. (PLUMB_PUBLIC_URL)")
  var publicURL: String?

  @Option(
    name: .customLong("trusted-proxies"),
    help: "Proxies whose word about a client's address counts: addresses, ranges. (PLUMB_TRUSTED_PROXIES)")
  var trustedProxies: String?

  @Option(help: "A budget file for the pages. (default: DATA/budgets/BUNDLE_ID.yaml)")
  var budgets: String?

  @Option(
    name: .customLong("check-every"),
    help: "Open and end incidents as `plumb check` does, every so often, for teams without cron: 5m. (default: never)")
  var checkEvery: String?

  @OptionGroup var alerts: AlertOptions

  func run() throws {
    let logger = Self.logger()
    let settings = try folder.settings()
    let address = try ListenAddress(settings.value("listen", flag: listen) ?? "127.0.0.1:8080")
    guard !open || LoopbackRule.isLoopback(listener: address.host) else {
      throw ValidationError("--open is for loopback addresses only; \(address.host) can be reached by others.")
    }
    let span = try settings.span("check-every", flag: checkEvery)
    let policy = try alerts.policy(settings)
    let channels = try settings.alerts()
    let installation = try Installation.creating(try folder.path(), migrates: true)
    guard let lock = try FolderLock(path: installation.folder.serveLock) else {
      throw Failure("Another plumb serve uses the data folder \(installation.folder.url.path).")
    }
    let limits = try settings.sampleLimits()
    let symbolizer = try Symbolizer.ofProcess(try installation.symbols(settings), settings) { logger.warning("\($0)") }
    if let warning = try settings.sandbox().warning { logger.warning("\(warning)") }
    let pipeline = try Pipeline(
      installation, migrating: true, staying: true, limits: limits, symbols: symbolizer, logger: logger)
    if !pipeline.isDigesting {
      logger.warning("Another process digests this folder; this server takes over when it is done.")
    }
    let perDay = try Self.number("rows-per-day", settings, default: 20_000_000)
    let rows = try RowKeeper(installation.control, perDay: perDay, logger)
    let context = try context(installation, pipeline, address, settings, rows.budget, logger)
    let handler = PlumbHandler(context)
    var configuration = HTTPServer.Configuration(host: address.host, port: address.port)
    configuration.threads = 2
    configuration.trustedProxies = context.settings.trustedProxies
    // For forms of at most 8 KiB; payloads have accounts of their own.
    configuration.bodiesInFlight = 8 << 20
    let server = HTTPServer(configuration: configuration, handler: handler)
    handler.observe(server)
    // Whoever reads the log may go away: no reason to die in the middle of an answer.
    signal(SIGPIPE, SIG_IGN)
    // Before anybody can know that the server runs, and ask it to stop.
    let stop = StopSignals()
    try server.start()
    let url = "http://\(address.hostForURL):\(server.port)"
    logger.info("Plumb listens on \(url)\(open ? " (open to readers on this machine)" : "")")
    let upkeep = Maintenance(pipeline, logger)
    let regrouper = Regrouper(pipeline, logger)
    let alerts = span.map { span in
      let book = BudgetRepository(installation.folder, file: settings.value("budgets", flag: budgets))
      let shown = settings.value("public-url", flag: publicURL)
      let desk = AlertService(
        installation, pipeline.store, book, policy: policy, publicURL: shown, channels: channels)
      return AlertTimer(desk, every: span, logger)
    }
    stop.wait()
    logger.info("Stopping: writing what was accepted.")
    upkeep.stop()
    regrouper.stop()
    alerts?.stop()
    server.stop { pipeline.drainWriter() }
    rows.stop()
    pipeline.stopDigest()
    withExtendedLifetime(lock) {}
  }

  private func context(
    _ installation: Installation, _ pipeline: Pipeline, _ address: ListenAddress, _ settings: Settings,
    _ rows: RowBudget, _ logger: Logger
  ) throws -> ServerContext {
    let book = BudgetRepository(installation.folder, file: settings.value("budgets", flag: budgets))
    let access = try AccessCache(store: installation.control, at: Clock.now()) {
      logger.error("The control database cannot be read: \($0)")
    }
    let shown = settings.value("public-url", flag: publicURL) ?? "http://\(address.hostForURL):\(address.port)"
    let rate = try Self.number("requests-per-second", settings, default: 50_000)
    let limit = try Self.number("body-limit", settings, default: 4 << 20)
    let uploads = try Self.number("upload-limit", settings, default: 2 << 30)
    return ServerContext(
      control: installation.control, access: access, intake: pipeline.intake,
      health: { book.shownHealth(of: $0, pipeline.store) },
      groups: { app in
        GroupReader(
          installation, pipeline.store, book.shownHealth(of: app, pipeline.store), symbols: pipeline.symbols,
          limits: pipeline.samples.limits)
      }, digestLag: { pipeline.lag() },
      symbols: try installation.symbols(settings), imagesSeen: { try pipeline.store.imagesSeen(of: $0) },
      edition: { DataVersion.now(installation.folder, book) }, snapshot: { try pipeline.store.snapshot($0) },
      identity: pipeline.identity, rows: rows,
      settings: ServerSettings(
        host: address.host, isOpen: open, publicURL: shown, bodyLimit: limit, requestsPerSecond: rate,
        uploadLimit: uploads, trustedProxies: try settings.trustedProxies(flag: trustedProxies)),
      clock: Clock.now, report: { logger.error("\($0)") }, notice: { logger.warning("\($0)") })
  }

  private static func number(_ key: String, _ settings: Settings, default standard: Int) throws -> Int {
    guard let text = settings.value(key, flag: nil) else { return standard }
    guard let value = Int(text), value > 0 else { throw ValidationError("\(key) must be a whole number above 0.") }
    return value
  }

  private static func logger() -> Logger {
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    return Logger(label: "plumb")
  }
}

/// `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`
struct ListenAddress {
  let host: String
  let port: Int

  init(_ text: String) throws {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65535).contains(port)
    else { throw ValidationError("Expected an address and port such as 127.0.0.1:8080, found \(text).") }
    let host = text[..<colon]
    self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
    self.port = port
  }

  var hostForURL: String { host.contains(":") ? "[\(host)]" : host }
}

/// SIGTERM and SIGINT, which ask to stop in order from now on.
final class StopSignals {
  private let asked = DispatchSemaphore(value: 0)
  private let sources: [any DispatchSourceSignal]

  init() {
    sources = [SIGTERM, SIGINT].map { [asked] number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { asked.signal() }
      source.resume()
      return source
    }
  }

  /// Returns when one has come.
  func wait() {
    asked.wait()
    for source in sources { source.cancel() }
  }
}

/// What has to be done from time to time while a server runs.
final class Maintenance {
  private let timer: any DispatchSourceTimer

  /// Once a minute after the start, then every hour.
  init(_ pipeline: Pipeline, _ logger: Logger) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.upkeep", qos: .background))
    timer.schedule(deadline: .now() + 60, repeating: 3600)
    timer.setEventHandler {
      do { try pipeline.maintain(now: Clock.now()) } catch { logger.error("Maintenance failed: \(error)") }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }
}
