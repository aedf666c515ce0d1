internal import Analysis
import Core
import Foundation
internal import Logging
internal import Outbound
import SQLiteStore
import Storage
import Symbols
import Web

/// A host and port to listen on: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`.
public struct ListenAddress: Sendable {
  let host: String
  let port: Int

  /// Parses a host and a port. Throws `UsageError` for other text. `setting`: the name of the setting in errors.
  public init(_ text: String, setting: String = "listen") throws {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65535).contains(port)
    else { throw UsageError("\(setting): expected an address and port such as 127.0.0.1:8080, found \"\(text)\".") }
    let host = text[..<colon]
    self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
    self.port = port
  }

  init(host: String, port: Int) { (self.host, self.port) = (host, port) }

  /// The host as written in a URL: IPv6 addresses in brackets.
  var hostForURL: String { host.contains(":") ? "[\(host)]" : host }
}
