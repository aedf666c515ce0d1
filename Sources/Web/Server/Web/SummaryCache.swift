import Core
public import Storage
import Synchronization

/// A cache of the summaries of apps on the overview. Only summaries of changed apps are read again.
///
/// A summary is current until data of its app are digested or its settings change, and at most until the current
/// interval of five minutes ends, because some numbers depend on the time in steps of five minutes.
final class SummaryCache: Sendable {
  private let entries = Mutex<[AppID: Entry]>([:])

  private struct Entry {
    let app: App
    let version: AppVersions.Version
    let slot: Int64
    let summary: AppSummary
  }

  /// The app's summary, from the cache or from `read`. `versions`: the versions before the data were read; nil if
  /// unknown, which prevents caching.
  func summary(
    of app: App, _ versions: AppVersions?, at now: Timestamp, _ read: () throws -> AppSummary
  ) throws -> AppSummary {
    guard let version = versions?[app.id] else { return try read() }
    let slot = now.milliseconds / PageCache.slot
    let known = entries.withLock { $0[app.id] }
    if let known, known.version == version, known.slot == slot, known.app == app { return known.summary }
    let summary = try read()
    entries.withLock { $0[app.id] = Entry(app: app, version: version, slot: slot, summary: summary) }
    return summary
  }
}

/// The versions of the apps' data.
public struct AppVersions: Sendable {
  /// The version of an app's data, which differs after every change.
  struct Version: Sendable, Equatable {
    let common: UInt64
    let own: UInt64
  }

  private let common: UInt64
  private let own: [AppID: UInt64]

  /// Creates the versions. `common`: the version of data that all apps share, such as budget files.
  public init(common: UInt64, own: [AppID: UInt64]) {
    self.common = common
    self.own = own
  }

  subscript(app: AppID) -> Version { Version(common: common, own: own[app] ?? 0) }
}

/// A cache of the number of open incidents of each app, which is read again only after the data changed.
final class OpenIncidents: Sendable {
  private let known = Mutex<(version: UInt64, counts: [String: Int])?>(nil)

  /// The number of open incidents of the app with a bundle identifier. `version`: the version of the data before they
  /// are read; nil if unknown.
  func count(of app: String, version: UInt64?, in store: any IncidentStore) throws -> Int {
    let kept = known.withLock { known in known.flatMap { $0.version == version ? $0.counts : nil } }
    if let kept { return kept[app] ?? 0 }
    let counts = try store.openIncidentCounts()
    if let version { known.withLock { $0 = (version, counts) } }
    return counts[app] ?? 0
  }
}
