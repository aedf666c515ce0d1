import Core
import Ingest
import Storage

/// The keys in a Sentry request: in headers, query and envelope. All of them must be equal.
struct SentryKey {
  /// All keys in the request, in any order.
  private(set) var keys: [String]
  /// The app's number in the path; nil if that is not a number.
  private let project: AppID?
  private var dsnProject: AppID?

  /// Reads `X-Sentry-Auth: Sentry sentry_key=KEY, …`, the same in `Authorization`, `?sentry_key=KEY`, and the headers
  /// and parameter of Plumb's own protocol.
  init(_ head: borrowing RequestHead, project: AppID?) {
    self.project = project
    let fields = [head.header("X-Sentry-Auth"), head.header("Authorization")].compactMap { $0 }
    keys = fields.compactMap(Self.key(inField:)) + fields.compactMap(IngestHeaders.bearer)
    keys += [head.query("sentry_key"), head.header("X-Plumb-Key"), head.query("key")].compactMap { $0 }
  }

  /// Adds the key in the envelope's header.
  mutating func add(_ dsn: SentryDSN?) {
    guard let dsn else { return }
    keys.append(dsn.key)
    dsnProject = AppID(dsn.project) ?? 0
  }

  /// The app that the request may write to.
  func app(_ access: AccessCache, at now: Timestamp) -> Result<App, SentryRefusal> {
    guard let key = keys.first else { return .failure(.missingKey) }
    guard keys.allSatisfy({ $0 == key }) else { return .failure(.keysDiffer) }
    guard let app = access.knownApp(forKey: key, at: now) else { return .failure(.unknownKey) }
    guard project == app.id, dsnProject ?? app.id == app.id else { return .failure(.otherProject) }
    return .success(app)
  }

  /// Extracts `KEY` from `Sentry sentry_version=7, sentry_key=KEY`; nil for another scheme.
  static func key(inField field: String) -> String? {
    let words = field.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\t") }
    guard let scheme = words.first, String(Substring(scheme)).lowercased() == "sentry" else { return nil }
    let name = "sentry_key=".utf8
    return words.dropFirst().first { $0.starts(with: name) }.map { String(Substring($0.dropFirst(name.count))) }
  }
}

/// Why a Sentry request may not write.
enum SentryRefusal: String, Error {
  case missingKey =
    "no key: send X-Sentry-Auth, ?sentry_key= or the DSN in the envelope's header; plumb app list shows the DSN"
  case keysDiffer = "the request names several keys, and they differ"
  case unknownKey = "unknown or retired key; plumb app list shows the DSN"
  case otherProject = "the key belongs to another project than the address names; plumb app list shows the DSN"
}
