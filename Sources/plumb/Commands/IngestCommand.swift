import App
import ArgumentParser
import Foundation
import Logging
import Outbound
import Web

/// The command `plumb ingest`: runs an ingest node until SIGTERM, SIGINT or SIGHUP.
struct Ingest: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Receive payloads for another server, the primary, which counts them.",
    discussion: """
      Example:
        plumb token add ingest-1 --node > node.token    # on the primary
        plumb ingest --primary https://plumb.example.com --token-file /etc/plumb/node.token --data node-data

      A payload that was answered with 202 is on this machine's disk, and from there goes to the primary once. While the
      primary is away, payloads are taken up to the setting `journal-limit`. The token gets the installation's secret:
      treat this machine like the primary.
      """)

  @OptionGroup var folder: FolderOptions

  @Option(help: "The primary's address. (PLUMB_PRIMARY)")
  var primary: String?

  @Option(
    help: "A token of the scope node; as PLUMB_TOKEN or in a file it shows in no list of processes. (PLUMB_TOKEN)")
  var token: String?

  @Option(
    name: .customLong("token-file"),
    help: "A file that only this user may read, with the token, or credential:NAME of systemd. (PLUMB_TOKEN_FILE)")
  var tokenFile: String?

  @Option(
    name: .customLong("ca-file"),
    help: "Certificates of authorities to trust instead of the system's, as PEM. (PLUMB_CA_FILE)")
  var caFile: String?

  @Flag(
    name: .customLong("insecure-primary"),
    help:
      "Allow http:// to another machine: for a network that is encrypted itself, because the secret is sent over it.")
  var insecurePrimary = false

  @Option(help: "Address and port. (PLUMB_LISTEN; default: 127.0.0.1:8080)")
  var listen: String?

  @Option(
    name: .customLong("node-name"),
    help: "What the primary calls this node. (PLUMB_NODE_NAME; default: the host's name)")
  var nodeName: String?

  @Option(
    name: .customLong("trusted-proxies"),
    help: "Proxies whose word about a client's address counts: addresses, ranges. (PLUMB_TRUSTED_PROXIES)")
  var trustedProxies: String?

  func run() throws {
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    let settings = try folder.settings()
    let node = try IngestNodeServer(try folder.path(), settings, try options(settings), logger: Logger(label: "plumb"))
    // If the reader of the log has ended, writing to it must not end the process.
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
      throw ValidationError("--primary is needed: the address of the server that counts, https://plumb.example.com.")
    }
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = url.host, !host.isEmpty, url.query == nil, url.user == nil
    else { throw ValidationError("--primary: expected an address such as https://plumb.example.com, found \(text).") }
    guard scheme == "https" || LoopbackRule.isLoopback(listener: host) || insecurePrimary else {
      throw ValidationError(
        "--primary must begin with https://: the installation's secret is sent over this connection. In a network that "
          + "is encrypted itself, add --insecure-primary.")
    }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  private func secret(_ settings: Settings) throws -> Secret {
    if let text = token { return Secret(text) }
    guard let file = settings.value("token-file", flag: tokenFile) else {
      if let text = settings.value("token", flag: nil) { return Secret(text) }
      throw ValidationError(
        "--token-file or PLUMB_TOKEN is needed: `plumb token add NAME --node` prints a token at the primary.")
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
