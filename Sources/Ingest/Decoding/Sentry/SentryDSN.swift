internal import Core

/// The URL that configures a Sentry client: `https://KEY@plumb.example.com/42`.
public struct SentryDSN: Sendable, Equatable {
  /// The DSN's public key, which is Plumb's ingest key.
  public var key: String
  /// The DSN's project id, which is the last part of its path.
  public var project: String

  /// Parses `SCHEME://KEY[:SECRET]@HOST[/PATH]/PROJECT`; nil for anything else.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 2000, let scheme = Self.firstIndex(of: Array("://".utf8), in: bytes),
      let at = bytes.lastIndex(of: UInt8(ascii: "@")), at > scheme + 3,
      let slash = bytes.lastIndex(of: UInt8(ascii: "/")), slash > at + 1
    else { return nil }
    let key = bytes[(scheme + 3)..<at].prefix { $0 != UInt8(ascii: ":") }
    let project = bytes[(slash + 1)...]
    guard !key.isEmpty, !project.isEmpty else { return nil }
    self.key = String(decoding: key, as: UTF8.self)
    self.project = String(decoding: project, as: UTF8.self)
  }

  private static func firstIndex(of part: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= part.count else { return nil }
    return (0...(bytes.count - part.count)).first { bytes[$0..<($0 + part.count)].elementsEqual(part) }
  }
}
