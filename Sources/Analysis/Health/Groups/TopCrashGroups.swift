public import Core
import Ingest
import Statistics
public import Storage

/// The groups behind a release's crashes, for texts such as "crash-free fell from 99.7 to 99.2 %: these 3 groups
/// account for 84 % of the crashed sessions".
public struct TopCrashGroups: Sendable, Equatable {
  /// One group and its share of the crashes.
  public struct Part: Sendable, Equatable {
    public var group: GroupSummary
    /// The group's share of the crashed sessions or, if its diagnostics have no sessions, of the release's crash
    /// diagnostics.
    public var share: Double
    /// Whether `share` is of sessions or of diagnostics.
    public var basis: GroupSummary.ShareBasis = .sessions
    /// The crash-free rate of the release without the sessions that crashed only in this group. Empty if the group's
    /// diagnostics have no sessions.
    public var without: RatioEstimate
    /// Whether this is the first release with the group.
    public var isNew: Bool
  }

  public var release: String
  public var window: Window
  /// The number of the release's sessions: the denominator of `group.share` of each part.
  public var sessions: Int
  public var crashFree: RatioEstimate
  /// The previous release in the same window; nil if there is none.
  public var previous: String?
  public var previousCrashFree: RatioEstimate
  /// The number of crashed sessions; of crashes if no diagnostic has a session.
  public var crashed: Int
  public var basis: GroupSummary.ShareBasis
  /// The number of crash diagnostics, with or without a session.
  public var diagnostics: Int = 0
  /// The number of crash diagnostics without a session. It is unknown whether their sessions are among the crashed
  /// ones.
  public var withoutSession: Int = 0
  /// The groups behind the crashes: the largest three, and more until they cover 80 %, up to `most`. Groups whose
  /// diagnostics have no session are ranked separately, by diagnostics.
  public var parts: [Part]
  /// The number of distinct sessions in `parts`; one session may be in several.
  var crashedInParts: Int

  /// The maximum number of listed groups per basis.
  public static let most = 5

  /// The total share of `crashed` of the listed groups with this basis.
  public var together: Double { together(basis) }

  /// The total share of the listed groups with one basis. A diagnostic is in one group; a session may be in several,
  /// but counts once.
  public func together(_ basis: GroupSummary.ShareBasis) -> Double {
    if basis == .sessions { return min(1, Double(crashedInParts) / Double(max(1, crashed))) }
    return min(1, parts.filter { $0.basis == basis }.reduce(0) { $0 + $1.share })
  }
}

extension GroupReader {
  /// The groups behind a release's crashes; nil without crashes. `release`: a version, or a version and build.
  public func impact(
    _ app: App, release: String, _ query: ReportQuery = .init(), now: Timestamp
  ) throws -> TopCrashGroups? {
    var query = Self.unlabelled(query)
    query.release = release
    let scope = try health.scope(of: app, query, now: now)
    let list = try groups(app, query, kind: .crash, now: now)
    guard !list.groups.isEmpty else { return nil }
    let series = try health.series(scope, metrics: ["sessions", "users"])
    let sessions = HealthReader.sessions(series)
    let crashedSessions = sessions.counts[.crashed] ?? 0
    let isNamed = crashedSessions > 0 && list.groups.contains { $0.sessions != nil }
    let crashed = isNamed ? crashedSessions : list.diagnostics
    let previous = previous(to: release, scope)
    let listed = Self.listed(list, crashed: crashed, isNamed)
    let named = isNamed ? listed.filter { $0.sessions != nil }.compactMap { Fingerprint.hash(named: $0.id) } : []
    let own = try store.sessions(
      GroupQuery(app: app.id, slice: scope.slice, window: scope.window, kind: .crash), of: named)
    return TopCrashGroups(
      release: release, window: scope.window, sessions: list.sessions, crashFree: sessions.crashFree,
      previous: previous,
      previousCrashFree: try previous.map { try crashFree(of: $0, scope) } ?? RatioEstimate(), crashed: crashed,
      basis: isNamed ? .sessions : .diagnostics, diagnostics: list.diagnostics,
      withoutSession: list.groups.reduce(0) { $0.saturatingAdd($1.withoutSession) },
      parts: listed.map { group in
        let sessions = isNamed ? group.sessions : nil
        let share = Double(sessions ?? group.diagnostics) / Double(max(1, sessions == nil ? list.diagnostics : crashed))
        return TopCrashGroups.Part(
          group: group, share: min(1, share), basis: sessions == nil ? .diagnostics : .sessions,
          without: sessions == nil
            ? RatioEstimate()
            : Self.without(Fingerprint.hash(named: group.id).flatMap { own.alone[$0] } ?? 0, series),
          isNew: group.introduced.map { $0 == release || $0.hasPrefix(release + " (") } ?? false)
      }, crashedInParts: own.together)
  }

  /// The largest groups of each basis. Sessions and diagnostics are not comparable, so neither may hide the other.
  private static func listed(_ list: GroupList, crashed: Int, _ isNamed: Bool) -> [GroupSummary] {
    guard isNamed else { return most(of: list.groups, total: list.diagnostics, by: \.diagnostics) }
    let named = list.groups.filter { $0.sessions != nil }
    let others = list.groups.filter { $0.sessions == nil }
    let bySessions = most(of: named, total: crashed) { $0.sessions ?? 0 }
    let isMixed = list.groups.contains { $0.withoutSession > 0 }
    guard isMixed else { return bySessions }
    // A group with many diagnostics is also listed if few of them have a session.
    let found = Set(
      (bySessions + most(of: others, total: others.reduce(0) { $0.saturatingAdd($1.diagnostics) }, by: \.diagnostics)
        + most(of: list.groups, total: 0, by: \.diagnostics)).map(\.id))
    return list.groups.filter { found.contains($0.id) }
  }

  /// The largest groups: at least three, and more until they explain 80 %.
  private static func most(
    of groups: [GroupSummary], total: Int, by size: (GroupSummary) -> Int
  ) -> [GroupSummary] {
    let sorted = groups.map { ($0, size($0)) }.filter { $0.1 > 0 }.sorted { ($0.1, $1.0.id) > ($1.1, $0.0.id) }
    var found: [GroupSummary] = []
    var sum = 0
    for (group, own) in sorted where found.count < TopCrashGroups.most {
      if found.count >= 3, Double(sum) >= 0.8 * Double(total) { break }
      found.append(group)
      sum += own
    }
    return found
  }

  /// The crash-free rate if `own` crashed sessions had not crashed.
  private static func without(_ own: Int, _ series: [Series]) -> RatioEstimate {
    guard case .share(let measure)? = Measure.named("sessions.crash_free", in: series)?.measure else {
      return RatioEstimate()
    }
    let other = ShareMeasure(
      bad: measure.bad - Double(own), n: measure.n, effect: measure.effect, isComplement: measure.isComplement,
      reported: measure.reported)
    return RatioEstimate(
      estimate: other.estimate(tail: HealthReader.shownTail), n: Int(min(measure.n, 9e18)),
      nEffective: other.effect.nEffective, basis: other.effect.isClustered ? .clusters : .events)
  }

  private func crashFree(of release: String, _ scope: Scope) throws -> RatioEstimate {
    var slice = scope.slice
    slice.release = release
    return HealthReader.sessions(try health.series(scope.with(slice: slice), metrics: ["sessions", "users"])).crashFree
  }

  /// The newest release before `release` that was in use in the window.
  private func previous(to release: String, _ scope: Scope) -> String? {
    let lived = scope.inventory.releases.filter {
      $0.environment == scope.slice.environment && $0.firstDay <= scope.window.to && $0.lastDay >= scope.window.from
        && $0.release.isNamed
    }
    return lived.map(\.release.version).filter { VersionOrder.precedes($0, Self.version(of: release)) }
      .max(by: VersionOrder.precedes)
  }

  private static func version(of name: String) -> String {
    guard name.hasSuffix(")"), let open = name.firstRange(of: " (") else { return name }
    return String(name[..<open.lowerBound])
  }
}
