import Decoding

/// An address of Sentry's protocol: `/api/42/envelope/` or `/api/42/store/`, with or without the last slash.
struct SentryEndpoint: Equatable {
  /// The app's number as the address spells it.
  let project: String
  let format: PayloadFormat

  /// Nil for any other path. Plumb's own API begins with `/api/v1`, which is no project.
  init?(path: String) {
    guard path.utf8.starts(with: "/api/".utf8) else { return nil }
    let rest = path.utf8.dropFirst(5)
    let parts = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
    guard parts.count == 2 || (parts.count == 3 && parts[2].isEmpty), !parts[0].isEmpty, parts[0] != "v1" else {
      return nil
    }
    switch parts[1] {
    case "envelope": format = .sentryEnvelope
    case "store": format = .sentryStore
    default: return nil
    }
    project = parts[0]
  }
}
