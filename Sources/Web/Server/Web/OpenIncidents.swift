import Storage
import Synchronization

/// The number of open incidents of each app in memory, read again only after the data changed.
final class OpenIncidents: Sendable {
  private let known = Mutex<(version: UInt64, counts: [String: Int])?>(nil)

  /// The number of open incidents of the app with a bundle identifier. `version`: that of the data, known before it is
  /// read; nil if unknown.
  func count(of app: String, version: UInt64?, in store: any IncidentStore) throws -> Int {
    let kept = known.withLock { known in known.flatMap { $0.version == version ? $0.counts : nil } }
    if let kept { return kept[app] ?? 0 }
    let counts = try store.openIncidentCounts()
    if let version { known.withLock { $0 = (version, counts) } }
    return counts[app] ?? 0
  }
}
