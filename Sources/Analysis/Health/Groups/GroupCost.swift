import Core
import Ingest
import Statistics
import Storage

/// What a group costs in a release: those it affects beyond what it would affect at the rate of an earlier release.
public struct GroupCost: Sendable, Equatable {
  /// What is counted.
  public enum Unit: String, Sendable, CaseIterable {
    case users
    /// For a group whose diagnostics name sessions but no users.
    case sessions
    /// For a group whose diagnostics name neither.
    case diagnostics
  }

  public var unit: Unit
  /// The release's count in the window, minus the count that the base's rate would give for the same sessions, with a
  /// 95 % interval.
  public var beyondBase: Estimate
  /// The same if all sessions of the window were in this release.
  public var atFullAdoption: Double

  /// Whether the release is worse by more than chance.
  public var isCertain: Bool { beyondBase.low.map { $0 > 0 } ?? false }
}

/// The release in which costs are counted, and the one that they are compared with.
public struct CostReleases: Sendable, Equatable {
  public var release: String
  /// Nil if there is no older release in the window: the whole count is then beyond the base.
  public var base: String?
}

extension GroupReader {
  /// The use and the groups of a release and its base, from which the cost of any group follows.
  struct Costs {
    let releases: CostReleases
    fileprivate let own: Side
    fileprivate let base: Side?
    /// All sessions and users of the window, in any release.
    fileprivate let whole: Frame

    fileprivate struct Side {
      let frame: Frame
      let counts: [UInt64: GroupCount]

      var sessions: Int { frame.sessions }
    }

    /// The rates of groups in the release. `kinds`: the totals of each kind.
    func rates(of groups: [StoredGroup], _ kinds: [KindTotal]) -> ReleaseRates {
      let naming = Set(kinds.filter(\.namesSessions).map(\.kind))
      return ReleaseRates(
        release: releases.release, sessions: own.sessions,
        rates: groups.reduce(into: [:]) { found, group in
          found[Fingerprint.name(of: group.fingerprint)] = GroupReader.rate(
            of: own.counts[group.fingerprint], own.frame, namesSessions: naming.contains(group.kind))
        })
    }

    /// Nil if the group does not occur in either release.
    func cost(of fingerprint: UInt64) -> GroupCost? {
      let (ours, theirs) = (own.counts[fingerprint], base?.counts[fingerprint])
      guard ours != nil || theirs != nil else { return nil }
      let isOfUsers = (ours?.users ?? 0) + (theirs?.users ?? 0) > 0
      let isOfSessions = (ours?.sessions ?? 0) + (theirs?.sessions ?? 0) > 0
      let unit: GroupCost.Unit = isOfUsers ? .users : isOfSessions ? .sessions : .diagnostics
      func count(_ count: GroupCount?) -> Double {
        switch unit {
        case .users: Double(count?.users ?? 0)
        case .sessions: Double(count?.sessions ?? 0)
        case .diagnostics: Double(count?.diagnostics ?? 0)
        }
      }
      let scale = base.map { Double(own.sessions) / Double($0.sessions) } ?? 0
      let beyond = count(ours) - scale * count(theirs)
      // Counts are Poisson. An empty count has the uncertainty of one event.
      let margin = 1.96 * (max(1, count(ours)) + scale * scale * max(1, count(theirs))).squareRoot()
      var atFull = beyond * Double(max(whole.sessions, own.sessions)) / Double(own.sessions)
      if unit == .users, let users = whole.users, users > 0 { atFull = min(atFull, Double(users)) }
      return GroupCost(
        unit: unit, beyondBase: Estimate(value: beyond, low: beyond - margin, high: beyond + margin),
        atFullAdoption: atFull)
    }
  }

  /// Reads what the costs in the selected or newest adopted release are computed from; nil if that release has no
  /// sessions.
  ///
  /// - Parameters:
  ///   - kind: the only kind of groups whose costs are needed; nil for all.
  ///   - group: the id of the only group.
  ///   - frame: the totals of the scope.
  func costs(
    _ app: App, _ scope: Scope, kind: DiagnosticKind?, group: Int64? = nil, _ frame: Frame, now: Timestamp
  ) throws -> Costs? {
    guard let release = try scope.slice.release ?? newestAdopted(scope) else { return nil }
    func side(_ release: String) throws -> Costs.Side? {
      var slice = scope.slice
      slice.release = release
      guard let frame = try keptTotals(scope.with(slice: slice)), frame.sessions > 0 else { return nil }
      let query = GroupQuery(app: scope.app, slice: slice, window: scope.window, kind: kind, group: group)
      let counts = try store.groups(query).map { ($0.group.fingerprint, $0) }
      return Costs.Side(frame: frame, counts: Dictionary(counts, uniquingKeysWith: { one, _ in one }))
    }
    guard let own = try side(release) else { return nil }
    var all = scope.slice
    all.release = nil
    guard let whole = try scope.slice.release == nil ? frame : keptTotals(scope.with(slice: all)) else { return nil }
    let query = ReportQuery(from: scope.window.from, to: scope.window.to, environment: scope.slice.environment)
    let older = try health.comparedReleases(app, query, head: release, now: now)?.base
    let base = try older.flatMap(side)
    return Costs(
      releases: CostReleases(release: release, base: base == nil ? nil : older), own: own, base: base, whole: whole)
  }
}
