import Core
public import Storage
import Synchronization

/// The summaries of apps on the first page, which has many: only those that changed are read again.
///
/// A summary is current while nothing was applied to its app and its settings are the same, and at most until the
/// interval of five minutes ends, because some numbers depend on the current time in steps of five minutes.
final class SummaryCache: Sendable {
  private let entries = Mutex<[AppID: Entry]>([:])

  private struct Entry {
    let app: App
    let version: AppVersions.Version
    let slot: Int64
    let summary: AppSummary
  }

  /// The app's summary, read by `read` unless it is known. `versions`: as they were before the data were read; nil if
  /// unknown, which keeps nothing.
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

/// How often the numbers of each app have changed.
public struct AppVersions: Sendable {
  /// The version of an app's numbers, which differs after every change.
  struct Version: Sendable, Equatable {
    let common: UInt64
    let own: UInt64
  }

  private let common: UInt64
  private let own: [AppID: UInt64]

  /// `common`: the version of what all apps share, such as budget files.
  public init(common: UInt64, own: [AppID: UInt64]) {
    self.common = common
    self.own = own
  }

  subscript(app: AppID) -> Version { Version(common: common, own: own[app] ?? 0) }
}

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
