import App
import ArgumentParser
import Foundation
import Logging

/// The command `plumb ingest`: runs an ingest node until SIGTERM, SIGINT or SIGHUP.
struct IngestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest",
    abstract: "Run an ingest node that relays payloads to a primary.",
    discussion: """
      Example:
        plumb ingest --primary https://plumb.example.com \\
          --token-file /etc/plumb/node.token --data node-data

      On the primary, `plumb token add NAME --node` prints the token. A payload answered with 202 is on this machine's \
      disk, and is relayed to the primary exactly once. While the primary is down, the node accepts payloads up to the \
      setting `journal-limit`. The node receives the installation's secret, so protect this machine like the primary.
      """)

  @OptionGroup var folder: FolderOptions

  @Option(
    help: """
      The primary's address. Repeat the option for standbys that may be promoted; the list in the setting has commas. \
      (PLUMB_PRIMARY)
      """)
  var primary: [String] = []

  @OptionGroup var credentials: PrimaryOptions

  @Option(
    help: "A token with the scope node. Process lists show it: prefer PLUMB_TOKEN or --token-file. (PLUMB_TOKEN)")
  var token: String?

  @Option(help: "The address and port to listen on. (PLUMB_LISTEN; default: 127.0.0.1:8080)")
  var listen: String?

  @Option(
    name: .customLong("node-name"),
    help: "The node's name on the primary. (PLUMB_NODE_NAME; default: the host name)")
  var nodeName: String?

  @Option(
    name: .customLong("trusted-proxies"),
    help: "Proxies to trust for client addresses: addresses or ranges, separated by commas. (PLUMB_TRUSTED_PROXIES)")
  var trustedProxies: String?

  func run() throws {
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    let settings = try folder.settings()
    let node = try IngestNodeServer(try folder.path(), settings, try options(settings), logger: Logger(label: "plumb"))
    // Writing to the log must not end the process when the log's reader is gone.
    signal(SIGPIPE, SIG_IGN)
    let stop = TerminationSignals()
    try node.start()
    stop.wait()
    node.stop()
  }

  private func options(_ settings: Settings) throws -> IngestNodeServer.Options {
    let addresses =
      primary.isEmpty
      ? (settings.value("primary", flag: nil) ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init) : primary
    var options = IngestNodeServer.Options(
      listen: try settings.listenAddress(flag: listen),
      primary: try credentials.address(addresses.first, "--primary"),
      token: try credentials.token(settings, flag: token, hint: "plumb token add NAME --node"),
      name: settings.value("node-name", flag: nodeName) ?? ProcessInfo.processInfo.hostName)
    options.otherPrimaries = try addresses.dropFirst().map { try credentials.address($0, "--primary") }
    options.caFile = try credentials.caFile(settings)
    options.trustedProxies = trustedProxies
    return options
  }
}
