import App
import ArgumentParser
import Dispatch
import Foundation
import Logging

/// The command `plumb serve`: runs the server until SIGTERM, SIGINT or SIGHUP.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Receive payloads and serve the dashboard.",
    discussion: """
      Example:
        plumb serve --listen 127.0.0.1:8080 --data plumb-data

      The dashboard needs a login (`plumb user add`), and the API a token (`plumb token add`). With --open, readers on \
      this machine need neither.

      A standby needs a token of the primary (`plumb token add NAME --standby`) and an empty folder:
        plumb serve --standby-of https://plumb.example.com --token-file /etc/plumb/standby.token --data standby-data
      """)

  @OptionGroup var folder: FolderOptions

  @Option(help: "The address and port to listen on. (PLUMB_LISTEN; default: 127.0.0.1:8080)")
  var listen: String?

  @Flag(help: "Let readers on this machine in without a login. Works with loopback addresses only.")
  var open = false

  @Option(
    name: .customLong("public-url"), help: "The server's public address, for users and apps. (PLUMB_PUBLIC_URL)")
  var publicURL: String?

  @Option(
    name: .customLong("trusted-proxies"),
    help: "Proxies to trust for client addresses: addresses or ranges, separated by commas. (PLUMB_TRUSTED_PROXIES)")
  var trustedProxies: String?

  @Option(
    help: """
      A ClickHouse server that stores the rows instead of plumb.db: clickhouse://USER@HOST:8123/DATABASE, or \
      clickhouse+https://… with TLS. Repeat the option for shards. The folder stores the addresses. (PLUMB_STORE, \
      PLUMB_STORE_PASSWORD=file:/PATH)
      """)
  var store: [String] = []

  @Option(help: "A budget file. (default: DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @Option(
    name: .customLong("check-every"),
    help: "Open and end incidents at this interval, such as 5m, instead of `plumb check` in cron. (default: never)")
  var checkEvery: String?

  @Option(
    name: .customLong("standby-of"),
    help: "Follow the primary at this address, and serve its pages read-only. (PLUMB_STANDBY_OF)")
  var standbyOf: String?

  @OptionGroup var credentials: PrimaryOptions

  @Option(
    name: .customLong("own-address"),
    help: """
      The address at which a primary and its standbys reach this server. (PLUMB_OWN_ADDRESS; default: the public \
      address)
      """)
  var ownAddress: String?

  @OptionGroup var alerts: AlertOptions

  @Option(help: .private)
  var now: String?

  func validate() throws {
    guard now == nil else {
      throw ValidationError(
        "--now does not work with serve, which uses the system clock. It works with import, check, compare, report, "
          + "digest and mcp.")
    }
  }

  func run() throws {
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    let settings = try folder.settings()
    let (path, options) = (try folder.path(), try options(settings))
    if let primary = try primary(settings) {
      guard try StandbyServer.isPromoted(path, from: primary.address) else {
        return try runStandby(path, settings, options, primary)
      }
      Logger(label: "plumb").warning(
        "This folder was promoted, so it is the primary. Remove --standby-of \(primary.address).")
    }
    let server: PlumbServer
    do {
      server = try PlumbServer(path, settings, options, logger: Logger(label: "plumb"))
    } catch {
      throw Installation.advised(error, in: path)
    }
    // Writing to the log must not end the process when the log's reader is gone.
    signal(SIGPIPE, SIG_IGN)
    // This runs before the server answers, because a client may send a signal as soon as it does.
    let stop = TerminationSignals()
    try server.start()
    stop.wait()
    server.stop()
  }

  private func runStandby(
    _ path: String, _ settings: Settings, _ options: PlumbServer.Options, _ primary: PlumbServer.Options.Primary
  ) throws {
    signal(SIGPIPE, SIG_IGN)
    let stop = TerminationSignals()
    let standby = try StandbyServer(
      path, settings, options, of: primary, logger: Logger(label: "plumb"), ended: stop.end)
    standby.start()
    stop.wait()
    try standby.stop()
  }

  /// The primary to follow; nil for a primary.
  private func primary(_ settings: Settings) throws -> PlumbServer.Options.Primary? {
    guard let text = settings.value("standby-of", flag: standbyOf) else { return nil }
    guard try settings.rowServers(flags: store) == nil else {
      throw ValidationError("--standby-of and --store cannot be combined: a standby has its rows in its folder.")
    }
    return PlumbServer.Options.Primary(
      address: try credentials.address(text, "--standby-of"),
      token: try credentials.token(settings, hint: "plumb token add NAME --standby"),
      caFile: try credentials.caFile(settings))
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
    options.ownAddress = try settings.value("own-address", flag: ownAddress).map {
      try credentials.address($0, "--own-address")
    }
    options.caFile = try credentials.caFile(settings)
    return options
  }
}
