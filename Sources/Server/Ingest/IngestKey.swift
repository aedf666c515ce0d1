import HTTP
import Telemetry

/// Where a request says which app it writes for.
enum IngestKey {
  /// `Authorization: Bearer KEY`, `X-Plumb-Key: KEY`, or `?key=KEY`. Nil when it names none.
  static func of(_ head: borrowing RequestHead) -> String? {
    if let authorization = head.header("Authorization"), let token = bearer(authorization) { return token }
    return head.header("X-Plumb-Key") ?? head.query("key")
  }

  /// The token of `Bearer TOKEN`, the scheme in any letter case.
  static func bearer(_ header: String) -> String? {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1].drop { $0 == " " })
  }

  /// The program that sends, as it calls itself, cut to 100 bytes and without controls: it stands on pages and in tables.
  static func client(_ head: borrowing RequestHead) -> String {
    head.header("User-Agent").map { CleanText.name($0, atMost: 100) } ?? ""
  }

  /// The client's word for "this is the same request again".
  static func idempotency(_ head: borrowing RequestHead) -> String? {
    for name in ["Idempotency-Key", "MeterReporter-Report-Id", "msr-req-id"] {
      // An empty one says nothing: all requests with it would be the same.
      if let key = head.header(name), key.utf8.contains(where: { $0 != 0x20 && $0 != 0x09 }) { return key }
    }
    return nil
  }
}
