public import Core
import Ingest
import Statistics
public import Storage

/// A group of diagnostics that explains exits of one reason.
public struct ExitGroup: Sendable, Equatable {
  /// The group's identifier in URLs.
  public var id: String
  public var title: String
  public var kind: DiagnosticKind
  /// Whether its diagnostics report such exits, rather than events that may lead to one.
  public var isReport: Bool
  /// The release with the most diagnostics of the group, among the releases with exits of the reason.
  public var release: String
  /// The number of the group's diagnostics in that release.
  public var diagnostics: Int
  /// The number of exits of the reason in that release, in the foreground and in the background.
  public var exits: Int
}

extension GroupReader {
  /// The groups that explain exits, by reason: groups seen in a release with exits of the reason, in the same window
  /// and slice. Reports of such exits come first, then groups with the most diagnostics.
  public func exitGroups(
    _ app: App, _ query: ReportQuery = .init(), now: Timestamp
  ) throws -> [ExitReason: [ExitGroup]] {
    let scope = try health.scope(of: app, Self.unlabelled(query), now: now)
    let exits = try exits(scope)
    guard !exits.isEmpty else { return [:] }
    let asked = GroupQuery(app: app.id, slice: scope.slice, window: scope.window)
    let causes = try store.groups(asked).compactMap { count in
      ExitCause(count.group).flatMap { exits[$0.reason] == nil ? nil : (group: count.group, cause: $0) }
    }
    guard !causes.isEmpty else { return [:] }
    let counts = try Dictionary(grouping: store.counts(asked, by: .member(of: .release)), by: \.group)
    let found = causes.compactMap { group, cause -> (ExitReason, ExitGroup)? in
      let own = exits[cause.reason] ?? [:]
      let shared = (counts[group.id] ?? []).compactMap { count in own[count.part].map { (count, exits: $0) } }
      guard let most = shared.max(by: { ($0.0.diagnostics, $0.0.part) < ($1.0.diagnostics, $1.0.part) }) else {
        return nil
      }
      return (
        cause.reason,
        ExitGroup(
          id: Fingerprint.name(of: group.fingerprint), title: Fingerprint.title(group.exception, group.place),
          kind: group.kind, isReport: cause.isReport, release: most.0.part, diagnostics: most.0.diagnostics,
          exits: most.exits)
      )
    }
    return Dictionary(grouping: found, by: \.0).mapValues { groups in
      groups.map(\.1).sorted { left, right in
        if left.isReport != right.isReport { return left.isReport }
        return (left.diagnostics, right.id) > (right.diagnostics, left.id)
      }
    }
  }

  /// The number of abnormal exits, by reason and release.
  private func exits(_ scope: Scope) throws -> [ExitReason: [String: Int]] {
    let reasons = ExitReason.allCases.filter { $0 != .normal }
    let names = reasons.flatMap { ["exits.foreground.\($0.name)", "exits.background.\($0.name)"] }
    let kept = try KeptWindow { try health.series(scope, metrics: names, dimension: .release) }
    guard let series = kept.whole else { return [:] }
    var found: [ExitReason: [String: Int]] = [:]
    for (release, own) in Dictionary(grouping: series, by: \.member) where Release(title: release).isNamed {
      let report = HealthReader.exits(own)
      for reason in reasons {
        let count = (report.foreground?[reason] ?? 0).saturatingAdd(report.background?[reason] ?? 0)
        if count > 0 { found[reason, default: [:]][release] = count }
      }
    }
    return found
  }
}
