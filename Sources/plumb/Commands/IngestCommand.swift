import App
import ArgumentParser
import Foundation
import Logging
import Outbound
import Web

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

  @Option(help: "The primary's address. (PLUMB_PRIMARY)")
  var primary: String?

  @Option(
    help: "A token with the scope node. Process lists show it: prefer PLUMB_TOKEN or --token-file. (PLUMB_TOKEN)")
  var token: String?

  @Option(
    name: .customLong("token-file"),
    help: "A file with the token that only this user can read, or credential:NAME of systemd. (PLUMB_TOKEN_FILE)")
  var tokenFile: String?

  @Option(
    name: .customLong("ca-file"),
    help: "A PEM file of CA certificates to trust instead of the system's. (PLUMB_CA_FILE)")
  var caFile: String?

  @Flag(
    name: .customLong("insecure-primary"),
    help:
      "Allow http:// to another machine. The installation's secret is sent, so the network must be encrypted.")
  var insecurePrimary = false

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
    let stop = StopSignals()
    try node.start()
    stop.wait()
    node.stop()
  }

  private func options(_ settings: Settings) throws -> IngestNodeServer.Options {
    var options = IngestNodeServer.Options(
      listen: try settings.listenAddress(flag: listen),
      primary: try address(settings), token: try secret(settings),
      name: settings.value("node-name", flag: nodeName) ?? ProcessInfo.processInfo.hostName)
    options.caFile = settings.value("ca-file", flag: caFile)
    if let file = options.caFile, !FileManager.default.isReadableFile(atPath: file) {
      throw ValidationError("--ca-file: \(file) cannot be read.")
    }
    options.trustedProxies = trustedProxies
    return options
  }

  private func address(_ settings: Settings) throws -> String {
    guard let text = settings.value("primary", flag: primary) else {
      throw ValidationError("--primary is missing: give the primary's address, such as https://plumb.example.com.")
    }
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = url.host, !host.isEmpty, url.query == nil, url.user == nil
    else {
      throw ValidationError("--primary: expected an address such as https://plumb.example.com, found \"\(text)\".")
    }
    guard scheme == "https" || LoopbackRule.isLoopback(listener: host) || insecurePrimary else {
      throw ValidationError(
        "--primary must begin with https://, because the installation's secret is sent over this connection. If the "
          + "network itself is encrypted, add --insecure-primary.")
    }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  private func secret(_ settings: Settings) throws -> Secret {
    if let text = token { return Secret(text) }
    guard let file = settings.value("token-file", flag: tokenFile) else {
      if let text = settings.value("token", flag: nil) { return Secret(text) }
      throw ValidationError(
        "--token-file or PLUMB_TOKEN is missing. `plumb token add NAME --node` on the primary prints a token.")
    }
    let prefix = "credential:"
    let source = file.hasPrefix(prefix) ? SecretSource.credential(String(file.dropFirst(prefix.count))) : .file(file)
    do {
      return try source.read(environment: ProcessInfo.processInfo.environment)
    } catch {
      throw ValidationError("--token-file: \(error).")
    }
  }
}
