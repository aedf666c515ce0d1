import App
import ArgumentParser
import Foundation
import Outbound
import Web

/// The flags with which an ingest node and a standby reach their primary.
struct PrimaryOptions: ParsableArguments {
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

  /// The address of a primary, without a slash at its end. `option`: its name, for errors.
  func address(_ text: String?, _ option: String) throws -> String {
    guard let text else {
      throw ValidationError("\(option) is missing: give the primary's address, such as https://plumb.example.com.")
    }
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = url.host, !host.isEmpty, url.query == nil, url.user == nil
    else {
      throw ValidationError("\(option): expected an address such as https://plumb.example.com, found \"\(text)\".")
    }
    guard scheme == "https" || LoopbackRule.isLoopback(listener: host) || insecurePrimary else {
      throw ValidationError(
        "\(option) must begin with https://, because the installation's secret is sent over this connection. If the "
          + "network itself is encrypted, add --insecure-primary.")
    }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  func caFile(_ settings: Settings) throws -> String? {
    let file = settings.value("ca-file", flag: caFile)
    if let file, !FileManager.default.isReadableFile(atPath: file) {
      throw ValidationError("--ca-file: \(file) cannot be read.")
    }
    return file
  }

  /// The token. `flag`: the token itself, if it was given. `hint`: the command that prints a token.
  func token(_ settings: Settings, flag: String? = nil, hint: String) throws -> Secret {
    if let flag { return Secret(flag) }
    guard let file = settings.value("token-file", flag: tokenFile) else {
      if let text = settings.value("token", flag: nil) { return Secret(text) }
      throw ValidationError("--token-file or PLUMB_TOKEN is missing. `\(hint)` on the primary prints a token.")
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
