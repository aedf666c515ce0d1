import Decoding
import Storage

extension IngestAddress {
  /// An address of Sentry's protocol: `/api/42/envelope/` or `/api/42/store/`, with or without the last slash. Nil for any
  /// other path: Plumb's own API begins with `/api/v1`, which is no project.
  init?(sentryPath path: String) {
    guard path.utf8.starts(with: "/api/".utf8) else { return nil }
    let parts = path.utf8.dropFirst(5).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    guard parts.count == 2 || (parts.count == 3 && parts[2].isEmpty), !parts[0].isEmpty, parts[0] != "v1" else {
      return nil
    }
    // No app has the number 0, so that a project that is no number is nobody's.
    let app = AppID(parts[0]) ?? 0
    switch parts[1] {
    case "envelope":
      self.init(.sentryEnvelope, SentryAnswers.shared, unknownCodingIsIdentity: true, app: app, mayHoldKey: true)
    case "store": self.init(.sentryStore, SentryAnswers.shared, unknownCodingIsIdentity: true, app: app)
    default: return nil
    }
  }

  /// Sentry's clients have their own ways to name a key, and limits by what they send.
  var isSentry: Bool { format == .sentryEnvelope || format == .sentryStore }
}
