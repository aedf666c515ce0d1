import Core
import Ingest
import Statistics
import Storage

/// The rate of a group per 1,000 sessions of a release or another slice.
public struct GroupRate: Sendable, Equatable {
  /// The rate per 1,000 sessions. It has an interval only if sessions are counted, because the users of reports without
  /// a session are unknown.
  public var estimate: Estimate
  /// What is counted: the affected sessions or, if the group's diagnostics have no sessions, its diagnostics.
  public var counted: GroupSummary.ShareBasis
  /// The number of affected sessions or of diagnostics.
  public var count: Int
  /// The number of all sessions of the slice.
  public var sessions: Int

  init(estimate: Estimate, counted: GroupSummary.ShareBasis, count: Int, sessions: Int) {
    self.estimate = estimate
    self.counted = counted
    self.count = count
    self.sessions = sessions
  }

  /// Converts a share of sessions to a rate, with its interval.
  init(_ share: RatioEstimate, count: Int) {
    let perThousand = { (share: Double?) in share.map { $0 * 1000 } }
    let estimate = share.estimate
    self.init(
      estimate: Estimate(
        value: perThousand(estimate.value), low: perThousand(estimate.low), high: perThousand(estimate.high)),
      counted: .sessions, count: count, sessions: share.n)
  }
}

/// The rates of groups in one release.
public struct ReleaseRates: Sendable, Equatable {
  /// The version, with all its builds.
  public var release: String
  /// The number of the release's sessions in the window.
  public var sessions: Int
  /// The rates by the groups' ids.
  public var rates: [String: GroupRate]
}

extension GroupReader {
  /// The version that is judged in the scope's environment, as on the app's page.
  func newestAdopted(_ scope: Scope) throws -> String? {
    let whole = scope.with(slice: Slice(environment: scope.slice.environment))
    return health.judgedReleases(try health.releases(whole)).first?.release.versionTitle
  }

  /// The rates of a group in the newest releases with sessions in the window, back to the release that introduced it.
  func rates(of group: StoredGroup, _ scope: Scope, introduced: Release?) throws -> [GroupDetail.ReleaseRate] {
    var slice = scope.slice
    slice.release = nil
    let releases = Set(
      scope.inventory.releases.filter { known in
        known.environment == slice.environment && known.release.isNamed && known.firstDay <= scope.window.to
          && known.lastDay >= scope.window.from && introduced.map { !VersionOrder.precedes(known.release, $0) } ?? true
      }.map(\.release))
    let query = GroupQuery(app: scope.app, slice: slice, window: scope.window, kind: group.kind, group: group.id)
    let counts = Dictionary(
      uniqueKeysWithValues: try store.counts(query, by: .member(of: .release)).map { ($0.part, $0) })
    let namesSessions = counts.values.contains { $0.sessions ?? 0 > 0 }
    let used = try releasesWithSessions(scope.with(slice: slice))
    var rates: [GroupDetail.ReleaseRate] = []
    for release in releases.sorted(by: { VersionOrder.precedes($1, $0) })
    where used.contains(release.title) && rates.count < Self.mostRates {
      var own = slice
      own.release = release.title
      let count = counts[release.title].map { part in
        GroupCount(
          group: group, diagnostics: part.diagnostics, sessions: part.sessions ?? 0, withoutSession: 0,
          users: part.users ?? 0, firstDay: scope.window.from, lastDay: scope.window.to)
      }
      guard let frame = try keptTotals(scope.with(slice: own)),
        let rate = Self.rate(of: count, frame, namesSessions: namesSessions)
      else { continue }
      rates.append(.init(release: release.title, rate: rate))
    }
    return rates
  }

  /// The titles of the releases with sessions, read at once: an app may have hundreds of releases without any.
  private func releasesWithSessions(_ scope: Scope) throws -> Set<String> {
    var query = health.query(scope, UsageRow.metrics, .release, false)
    query.bins = .window
    let usage = try KeptWindow { try health.store.usage(query) }.whole ?? []
    return Set(usage.filter { $0.kind == .sessions && $0.count > 0 }.map(\.member))
  }

  /// The maximum number of releases whose rates a group's page shows.
  private static let mostRates = 10

  /// The totals of a slice; nil if rows of these filters have expired for a part of the window.
  func keptTotals(_ scope: Scope) throws -> Frame? {
    try KeptWindow { try totals(scope) }.whole
  }

  /// The rate of a group in the frame's slice; nil if it has no known sessions. `namesSessions`: whether diagnostics of
  /// this kind have sessions. If so, a group without diagnostics affects 0 sessions instead of an unknown number.
  static func rate(of count: GroupCount?, _ frame: Frame, namesSessions: Bool) -> GroupRate? {
    guard frame.sessions > 0 else { return nil }
    let diagnostics = count?.diagnostics ?? 0
    let sessions = count?.sessions ?? 0
    guard sessions == 0, diagnostics > 0 || !namesSessions else {
      return GroupRate(sessionShare(sessions, users: count?.users ?? 0, frame), count: sessions)
    }
    return GroupRate(
      estimate: Estimate(value: Double(diagnostics) / Double(frame.sessions) * 1000), counted: .diagnostics,
      count: diagnostics, sessions: frame.sessions)
  }

  /// The share of sessions that a group affects. Sessions of one user are correlated: a user who crashes at ten
  /// launches is one piece of evidence, not ten.
  static func sessionShare(_ sessions: Int, users: Int, _ frame: Frame) -> RatioEstimate {
    let n = frame.sessions
    let repeated = users > 0 ? max(1, Double(sessions) / Double(users)) : 1
    let effect = (frame.effect ?? .none(of: Double(n))).inflated(by: repeated)
    return share(min(sessions, n), of: n, effect)
  }
}
