import App
import ArgumentParser
import Dispatch
import Foundation
import Logging

/// The command `plumb serve`: runs the server until SIGTERM, SIGINT or SIGHUP.
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

  @Option(
    help: """
      A ClickHouse server that has the rows, instead of plumb.db: clickhouse://USER@HOST:8123/DATABASE, with TLS \
      clickhouse+https://… Repeated for shards. The folder remembers it. (PLUMB_STORE, PLUMB_STORE_PASSWORD=file:/PATH)
      """)
  var store: [String] = []

  @Option(help: "A budget file for the pages. (default: DATA/budgets/BUNDLE_ID.yaml)")
  var budgets: String?

  @Option(
    name: .customLong("check-every"),
    help: "Open and end incidents as `plumb check` does, every so often, for teams without cron: 5m. (default: never)")
  var checkEvery: String?

  @OptionGroup var alerts: AlertOptions

  @Option(help: .private)
  var now: String?

  func validate() throws {
    guard now == nil else {
      throw ValidationError(
        "--now: a server has the real clock, because what arrives is of now. Only import, check, report, compare and "
          + "digest can be played at another time.")
    }
  }

  func run() throws {
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    let settings = try folder.settings()
    let (path, options) = (try folder.path(), try options(settings))
    let server: PlumbServer
    do {
      server = try PlumbServer(path, settings, options, logger: Logger(label: "plumb"))
    } catch {
      throw Installation.advised(error, in: path)
    }
    // If the reader of the log has ended, writing to it must not end the process.
    signal(SIGPIPE, SIG_IGN)
    // Before the server answers, because a client that sees it run may send a signal at once.
    let stop = StopSignals()
    try server.start()
    stop.wait()
    server.stop()
  }

  private func options(_ settings: Settings) throws -> PlumbServer.Options {
    var options = PlumbServer.Options(
      listen: try settings.listenAddress(flag: listen))
    options.isOpen = open
    options.rowServers = try settings.rowServers(flags: store)
    options.publicURL = try settings.publicURL(flag: publicURL)
    options.budgets = settings.value("budgets", flag: budgets)
    options.trustedProxies = trustedProxies
    options.checkEvery = try settings.span("check-every", flag: checkEvery)
    options.thresholds = try alerts.thresholds(settings)
    return options
  }
}

/// Waits for SIGTERM, SIGINT or SIGHUP, which a terminal sends when it closes. While this object exists, those signals do not end the process by themselves.
final class StopSignals {
  private let asked = DispatchSemaphore(value: 0)
  private let sources: [any DispatchSourceSignal]

  init() {
    sources = [SIGTERM, SIGINT, SIGHUP].map { [asked] number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { asked.signal() }
      source.resume()
      return source
    }
  }

  /// Blocks until one of the signals has arrived.
  func wait() {
    asked.wait()
    for source in sources { source.cancel() }
  }
}
