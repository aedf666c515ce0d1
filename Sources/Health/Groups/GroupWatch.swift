public import Storage
public import Telemetry

/// What alert rules need to know of a group in one of the newest releases.
public struct GroupWatch: Sendable, Equatable {
  public var release: String
  /// In this release, over the last 28 days: with its share, its status and its daily counts.
  public var group: GroupSummary
  /// This release is the first one it was ever seen in.
  public var isNew: Bool

  public init(release: String, group: GroupSummary, isNew: Bool) {
    self.release = release
    self.group = group
    self.isNew = isNew
  }
}

extension GroupReader {
  /// The groups of the newest `releases` versions, the newest version first.
  public func watch(_ app: App, releases: Int = 2, now: Timestamp) throws -> [GroupWatch] {
    let scope = try health.scope(of: app, .init(), now: now)
    let versions = Set(
      scope.inventory.releases.filter {
        $0.environment == scope.slice.environment && $0.lastDay >= scope.window.from && !$0.release.version.isEmpty
          && $0.release != .mixed
      }.map(\.release.version))
    return try versions.sorted { VersionOrder.precedes($1, $0) }.prefix(releases).flatMap { version in
      try groups(app, ReportQuery(release: version), now: now).groups.map { group in
        GroupWatch(
          release: version, group: group,
          isNew: group.introduced.map { $0 == version || $0.hasPrefix(version + " (") } ?? false)
      }
    }
  }
}
