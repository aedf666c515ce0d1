import Core
import Statistics
import Storage

/// The numbers of a group in one of the newest releases, for the alert rules.
struct GroupRuleInput: Sendable, Equatable {
  var release: String
  /// The group in this release over the last 28 days: share, status and daily counts.
  var group: GroupSummary
  /// Whether this release is the first in which the group was ever seen.
  var isNew: Bool
  /// The lower 99.9 % bound of the group's share of sessions; nil if sessions are unknown, or if fewer than three
  /// sessions or three users are affected.
  var certainShare: Double?
  /// The lower 99.9 % bound of the group's share of sessions in the last two days; nil if sessions are unknown, or if
  /// fewer than three sessions or three users are affected.
  var certainRecentShare: Double?
  /// The group's share of the sessions of the last two days.
  var recentShare: Double?
  /// The upper 95 % bound of the group's share of sessions before the last two days; nil if unknown.
  var mostEarlierShare: Double?
  /// The group's share of all diagnostics of its kind in this release; nil if unknown.
  var shareOfKind: Double?
  /// The day since which the group has been larger than usual; nil if it has not grown.
  var grew: CalendarDay?
}

extension GroupReader {
  /// The groups in the newest `releases` versions, and in as many of the newest lasting versions: a burst of fake
  /// sessions of new versions must not stop alerts about the versions that are really in use.
  func watch(_ app: App, releases: Int = 2, now: Timestamp) throws -> [GroupRuleInput] {
    let scope = try health.scope(of: app, .init(), now: now)
    let versions = Set(
      scope.inventory.releases.filter {
        $0.environment == scope.slice.environment && $0.lastDay >= scope.window.from && $0.release.isNamed
      }.map(\.release.version))
    let sorted = versions.sorted { VersionOrder.precedes($1, $0) }
    let lasting = try lasting(sorted, releases, scope)
    return try sorted.filter { sorted.prefix(releases).contains($0) || lasting.contains($0) }.flatMap { version in
      try watch(app, version, scope, now: now)
    }
  }

  /// The newest lasting versions; empty if the newest versions are all lasting.
  private func lasting(_ versions: [String], _ count: Int, _ scope: Scope) throws -> [String] {
    func isLasting(_ names: some Sequence<String>) throws -> [String] {
      let names = Array(names)
      let use = try health.arrivalUse(of: names, scope)
      return names.filter { use[$0]?.isLasting ?? true }
    }
    let newest = versions.prefix(count)
    guard try isLasting(newest).count < newest.count else { return [] }
    return Array(try isLasting(versions).prefix(count))
  }

  private func watch(_ app: App, _ version: String, _ scope: Scope, now: Timestamp) throws -> [GroupRuleInput] {
    func groups(_ from: CalendarDay?, _ to: CalendarDay?) throws -> GroupList {
      try self.groups(app, ReportQuery(from: from, to: to, release: version), now: now)
    }
    let turn = scope.window.to - (Self.recentDays - 1)
    let whole = try groups(scope.window.from, scope.window.to)
    guard !whole.groups.isEmpty else { return [] }
    let recent = try groups(turn, scope.window.to)
    let earlier = scope.window.from < turn ? try groups(scope.window.from, turn - 1) : nil
    let now = Dictionary(recent.groups.map { ($0.id, $0) }) { first, _ in first }
    let before = Dictionary((earlier?.groups ?? []).map { ($0.id, $0) }) { first, _ in first }
    let ofKind = whole.groups.reduce(into: [:] as [DiagnosticKind: Int]) { sums, group in
      sums[group.kind] = (sums[group.kind] ?? 0).saturatingAdd(group.diagnostics)
    }
    // Hangs that people did not feel are not judged.
    return whole.groups.filter { !($0.hangs?.isOnlyAsleep ?? false) }.map { group in
      var watch = GroupRuleInput(
        release: version, group: group,
        isNew: group.introduced.map { $0 == version || $0.hasPrefix(version + " (") } ?? false)
      watch.certainShare = Self.certainShare(of: group)
      watch.certainRecentShare = now[group.id].flatMap(Self.certainShare)
      watch.recentShare = now[group.id].flatMap { $0.shareBasis == .sessions ? $0.share.estimate.value : nil }
      let sessions = earlier?.sessions ?? 0
      // If the group was already there but has no sessions, the number of affected sessions is unknown.
      if let before = before[group.id] {
        watch.mostEarlierShare = before.shareBasis == .sessions ? before.share.estimate.high : nil
      } else {
        watch.mostEarlierShare = sessions > 0 ? Self.most(of: sessions) : nil
      }
      watch.shareOfKind = ofKind[group.kind].flatMap { $0 > 0 ? Double(group.diagnostics) / Double($0) : nil }
      let usual = Double(group.days.reduce(0, +)) / Double(max(1, group.days.count))
      watch.grew = Onset.start(of: group.days.map { Double($0) - usual }).map { scope.window.from + $0 }
      return watch
    }
  }

  /// The number of days in which a crash is reported: the day of the crash and the next day.
  private static let recentDays = 2
  private static let fewest = 3
  /// The minimum number of sessions for judging a share if fewer than ten user-days are known.
  private static let fewestSessions = 50

  /// The lower 99.9 % bound of a group's share of sessions, as incidents require it. Nil unless at least three sessions
  /// and three users are affected; if no report has a user, three sessions are enough.
  private static func certainShare(of group: GroupSummary) -> Double? {
    guard group.shareBasis == .sessions, let sessions = group.sessions, sessions >= fewest,
      (group.users ?? sessions) >= fewest, group.share.basis == .clusters || group.share.n >= fewestSessions
    else { return nil }
    let n = Double(group.share.n)
    let effect = DesignEffect(
      value: group.share.nEffective.map { n / max($0, 1) } ?? 1, of: n, isClustered: group.share.basis == .clusters)
    return Interval.ratio(
      k: min(Double(sessions), n), n: n, effect: effect, tail: 1 - IncidentSignificanceTest.confidence
    ).low
  }

  /// The upper 95 % bound of the share if none of `sessions` is affected (rule of three).
  private static func most(of sessions: Int) -> Double { min(1, 3 / Double(sessions)) }
}
