import Core

/// Reads an ingest request's headers and query: the app's key, the client program and the idempotency key.
enum IngestHeaders {
  /// The key in `Authorization: Bearer KEY`, `X-Plumb-Key: KEY` or `?key=KEY`; nil if there is none.
  static func key(_ head: borrowing RequestHead) -> String? {
    if let authorization = head.header("Authorization"), let token = bearer(authorization) { return token }
    return head.header("X-Plumb-Key") ?? head.query("key")
  }

  /// The token of `Bearer TOKEN`, with the scheme in any letter case.
  static func bearer(_ header: String) -> String? {
    let scheme = header.utf8.prefix { $0 != UInt8(ascii: " ") }
    guard ASCII.equal(scheme, "bearer") else { return nil }
    let token = header.utf8[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
    return token.isEmpty ? nil : String(Substring(token))
  }

  /// The User-Agent, cut to 100 bytes and without control characters, because pages show it. Empty if it is missing.
  static func client(_ head: borrowing RequestHead) -> String {
    head.header("User-Agent").map { SanitizedText.name($0, atMost: 100) } ?? ""
  }

  /// The idempotency key, which is the same in all attempts of one request; nil if there is none.
  static func idempotency(_ head: borrowing RequestHead) -> String? {
    for name in ["Idempotency-Key", "MeterReporter-Report-Id", "msr-req-id"] {
      // Ignore empty keys; otherwise all requests with an empty key would count as one.
      if let key = head.header(name), key.utf8.contains(where: { $0 != 0x20 && $0 != 0x09 }) { return key }
    }
    return nil
  }
}
