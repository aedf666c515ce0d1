public import Core
import Ingest
import Statistics
public import Storage

/// Reads groups of diagnostics and computes their numbers for pages, API and commands. It reads no clock: `now` is a
/// parameter.
public struct GroupReader: Sendable {
  let store: any Store & GroupStore
  let health: HealthReader
  let states: any GroupDecisions & GroupNotes
  let symbols: any SymbolSource
  let limits: SampleLimits
  let calls: @Sendable (StoredSample) throws -> CallTree

  /// Creates a reader. `calls`: decodes the call tree of a stored diagnostic.
  public init(
    store: any Store & GroupStore, health: HealthReader, states: any GroupDecisions & GroupNotes,
    symbols: any SymbolSource,
    limits: SampleLimits = SampleLimits(), calls: @escaping @Sendable (StoredSample) throws -> CallTree
  ) {
    self.store = store
    self.health = health
    self.states = states
    self.symbols = symbols
    self.limits = limits
    self.calls = calls
  }

  /// The groups in a window and slice, most diagnostics first. `isOfOneKind`: if no kind is given, lists only the first
  /// kind that occurs. `hasRates`: also computes the groups' rates in the newest adopted release, their costs and the
  /// totals of other kinds, for pages; the costliest group is then first.
  public func groups(
    _ app: App, _ query: ReportQuery = .init(), kind: DiagnosticKind? = nil, isOfOneKind: Bool = false,
    hasRates: Bool = false, limit: Int = GroupList.most, now: Timestamp
  ) throws -> GroupList {
    let scope = try health.scope(of: app, Self.unlabelled(query), now: now)
    let frame = try frame(scope)
    let isWhole = isOfOneKind || hasRates
    let read = GroupQuery(app: app.id, slice: scope.slice, window: scope.window, kind: isWhole ? nil : kind)
    let counts = try store.groups(read)
    let totals = KindTotal.totals(counts)
    let kind = kind ?? (isOfOneKind ? totals.first?.kind : nil)
    var asked = read
    asked.kind = kind
    let costs = hasRates ? try costs(app, scope, kind: kind, frame, now: now) : nil
    let hangs = totals.contains { $0.kind == .hang } ? try self.hangs(asked) : [:]
    let known = counts.filter { kind == nil || $0.group.kind == kind }.map { count in
      let cost = costs?.cost(of: count.group.fingerprint)
      // Hangs that no user felt are last.
      let isAsleep = hangs[count.group.id]?.isOnlyAsleep ?? false
      return (count: count, cost: cost, beyond: isAsleep ? -1 : cost.map { $0.isCertain ? $0.atFullAdoption : 0 } ?? 0)
    }
    let all = known.sorted {
      ($0.beyond, $0.count.diagnostics, $1.count.group.fingerprint)
        > ($1.beyond, $1.count.diagnostics, $0.count.group.fingerprint)
    }
    let shown = all.prefix(min(max(1, limit), GroupList.most))
    let days = try Self.days(store.counts(asked, by: .day), scope.window)
    let lives = try Dictionary(grouping: store.lifetimes(of: app.id, group: nil), by: \.group)
    return GroupList(
      app: app.bundleID, window: scope.window, slice: scope.slice, environmentNote: scope.environmentNote, kind: kind,
      kinds: totals,
      groups: shown.map { count, cost, _ in
        summary(
          of: count, frame, total: totals.first { $0.kind == count.group.kind }, lives: lives[count.group.id] ?? [],
          days: days[count.group.id] ?? [], cost: cost, hangs: hangs[count.group.id])
      }, total: all.count, diagnostics: all.reduce(0) { $0.saturatingAdd($1.count.diagnostics) },
      sessions: frame.sessions,
      newest: scope.slice.release == nil ? costs?.rates(of: shown.map(\.count.group), totals) : nil,
      costs: costs?.releases, asOf: now)
  }

  /// The denominators of shares, and the team's decisions and notes on groups.
  struct Frame {
    let scope: Scope
    let sessions: Int
    let users: Int?
    /// The design effect of the sessions, which measures the correlation of one user's sessions.
    let effect: DesignEffect?
    var decisions: [UInt64: GroupDecision] = [:]
    var notes: [UInt64: GroupNote] = [:]
  }

  /// The frame of a list or page, with decisions and notes.
  func frame(_ scope: Scope) throws -> Frame {
    var frame = try totals(scope)
    let decisions = try states.groupStates(of: scope.app)
    let notes = try states.groupNotes(of: scope.app)
    guard !decisions.isEmpty || !notes.isEmpty else { return frame }
    let successors = try store.successors(of: scope.app)
    frame.decisions = MergedDecisions.current(decisions, successors: successors)
    frame.notes = MergedNotes.current(notes, successors: successors)
    return frame
  }

  /// The frame of a slice with its totals only.
  func totals(_ scope: Scope) throws -> Frame {
    let series = try health.series(scope, metrics: ["sessions", "users"])
    var effect: DesignEffect?
    if case .share(let measure)? = Measure.named("sessions.crash_free", in: series)?.measure {
      effect = measure.clusterEffect
    }
    return Frame(
      scope: scope, sessions: HealthReader.sessions(series).total, users: HealthReader.users(series).total,
      effect: effect)
  }

  /// The numbers of a group. `total`: the totals of its kind, which decide the denominator of its share.
  func summary(
    of count: GroupCount, _ frame: Frame, total: KindTotal?, lives: [GroupLifetime], days: [Int],
    cost: GroupCost? = nil, hangs: HangCounts? = nil
  ) -> GroupSummary {
    let group = count.group
    let isOfSessions = frame.sessions > 0 && total?.namesSessions ?? false
    let releases = Self.releases(lives)
    let sessionShare =
      count.sessions > 0 ? Self.sessionShare(count.sessions, users: count.users, frame) : RatioEstimate()
    return GroupSummary(
      id: Fingerprint.name(of: group.fingerprint), title: Fingerprint.title(group.exception, group.place),
      kind: group.kind, isSymbolic: group.isSymbolic, diagnostics: count.diagnostics,
      sessions: count.sessions > 0 ? count.sessions : nil, withoutSession: count.withoutSession,
      users: count.users > 0 ? count.users : nil,
      share: isOfSessions ? sessionShare : Self.share(count.diagnostics, of: total?.diagnostics ?? 0),
      shareBasis: isOfSessions ? .sessions : .diagnostics,
      userShare: count.users > 0 ? Self.share(count.users, of: frame.users ?? 0) : RatioEstimate(),
      rate: Self.rate(of: count, frame, namesSessions: isOfSessions), cost: cost,
      firstSeen: lives.map(\.firstDay).min() ?? count.firstDay, lastSeen: lives.map(\.lastDay).max() ?? count.lastDay,
      introduced: releases.first?.title,
      status: Self.status(frame.decisions[group.fingerprint], releases), note: frame.notes[group.fingerprint],
      days: days, hangs: count.group.kind == .hang ? hangs : nil)
  }

  static func share(_ k: Int, of n: Int, _ effect: DesignEffect? = nil) -> RatioEstimate {
    guard n > 0 else { return RatioEstimate() }
    let k = min(k, n)
    let effect = effect ?? .none(of: Double(n))
    let bounds = Interval.ratio(k: Double(k), n: Double(n), effect: effect, tail: HealthReader.shownTail)
    return RatioEstimate(
      estimate: Estimate(value: Double(k) / Double(n), low: bounds.low, high: bounds.high), n: n,
      nEffective: effect.nEffective, basis: effect.isClustered ? .clusters : .events)
  }

  /// The status of a group. A resolved group has regressed if it is seen in the release in which it was resolved, or in
  /// a later release.
  private static func status(_ decision: GroupDecision?, _ releases: [Release]) -> GroupStatus {
    switch decision?.state {
    case nil, .open: return .open
    case .ignored: return .ignored
    case .resolved(let name):
      let back = releases.first { !precedes($0, name) }
      return back.map { .regressed(release: $0.title) } ?? .resolved(release: name)
    }
  }

  /// Whether a release precedes the release `name`, which is a version, or a version and build.
  static func precedes(_ release: Release, _ name: String) -> Bool {
    if release.isCalled(name) { return false }
    let other = Release(title: name)
    return other.build.isEmpty
      ? VersionOrder.precedes(release.version, other.version) : VersionOrder.precedes(release, other)
  }

  /// The releases with a name, oldest first.
  static func releases(_ lifetimes: [GroupLifetime]) -> [Release] {
    let named = lifetimes.map(\.release).filter(\.isNamed)
    return Array(Set(named)).sorted(by: VersionOrder.precedes)
  }

  static func days(_ counts: [GroupPartCount], _ window: Window) -> [Int64: [Int]] {
    let indexByDay = Dictionary(uniqueKeysWithValues: window.allDays.enumerated().map { ($1.iso, $0) })
    return counts.reduce(into: [:]) { found, count in
      guard let index = indexByDay[count.part] else { return }
      found[count.group, default: [Int](repeating: 0, count: window.days)][index] += count.diagnostics
    }
  }

  static func unlabelled(_ query: ReportQuery) -> ReportQuery {
    var query = query
    query.label = nil
    return query
  }
}

extension GroupReader {
  /// The release that a user's input means: a known release, or any text that looks like a version. For anything else,
  /// throws `InvalidQuery` with an example.
  public func release(typed text: String, of app: App, now: Timestamp) throws -> String {
    let known = try health.scope(of: app, ReportQuery(), now: now).inventory.releases.map(\.release)
    guard let release = ReleaseNameParser.read(text, known: known) else {
      throw InvalidQuery(detail: ReleaseNameParser.expected(text), parameter: "release")
    }
    return release
  }
}

extension GroupReader {
  /// The details of one group; nil if no group has this id. For a merged group, the details of the group that it was
  /// merged into.
  public func group(
    _ app: App, named name: String, _ query: ReportQuery = .init(), now: Timestamp
  ) throws -> GroupDetail? {
    guard let hash = Fingerprint.hash(named: name), let group = try store.group(of: app.id, fingerprint: hash) else {
      return nil
    }
    let scope = try health.scope(of: app, Self.unlabelled(query), now: now)
    let frame = try frame(scope)
    let lives = try store.lifetimes(of: app.id, group: group.id)
    guard !lives.isEmpty else { return nil }
    let whole = GroupQuery(app: app.id, slice: scope.slice, window: scope.window, kind: group.kind)
    var own = whole
    own.group = group.id
    let count =
      try store.groups(own).first
      ?? GroupCount(
        group: group, diagnostics: 0, sessions: 0, withoutSession: 0, users: 0, firstDay: scope.window.from,
        lastDay: scope.window.to)
    // If this group has sessions, so does its kind, so the other groups need not be read.
    let kind = try count.sessions > 0 ? [count] : store.groups(whole)
    let days = try Self.days(store.counts(own, by: .day), scope.window)[group.id]
    let kept = try samples(of: app.id, group.id)
    let use = try health.uses(scope, by: .combination)
    let combined = CombinedUse(window: use.window, uses: use.uses)
    let costs = try costs(app, scope, kind: group.kind, group: group.id, frame, now: now)
    let ownBinaries = Set(app.settings.ownBinaries)
    let isSampled = group.kind.isSampled
    return GroupDetail(
      app: app.bundleID, window: scope.window, slice: scope.slice,
      group: summary(
        of: count, frame, total: KindTotal.totals(kind).first, lives: lives,
        days: days ?? [Int](repeating: 0, count: scope.window.days), cost: costs?.cost(of: group.fingerprint),
        hangs: group.kind == .hang ? try hangs(own)[group.id] : nil),
      costs: costs?.releases, releases: Self.lives(lives, frame.decisions[group.fingerprint]),
      rates: try rates(of: group, scope, introduced: Self.releases(lives).first),
      systems: try parts(own, .os, scope, combined), devices: try parts(own, .device, scope, combined),
      causes: try causes(own, scope, combined), samples: kept.map(\.sample),
      threads: isSampled
        ? []
        : Self.shown(kept).map { ThreadText.threads(of: $0.calls, symbols, own: ownBinaries) } ?? [],
      flame: isSampled ? FlameGraph(kept.map(\.calls), symbols, own: ownBinaries) : nil,
      code: isSampled
        ? try codeChanges(app, of: group, costs?.releases ?? comparedReleases(app, scope, now: now), scope) : nil,
      ticket: try app.settings.ticketURL.map { try TicketTemplate($0) }, asOf: now)
  }

  /// A group with its current note, for editing; nil if no group has this id.
  public func noted(
    _ app: App, named name: String
  ) throws -> (fingerprint: UInt64, note: GroupNote?, predecessors: [UInt64])? {
    guard let hash = Fingerprint.hash(named: name), let group = try store.group(of: app.id, fingerprint: hash) else {
      return nil
    }
    let successors = try store.successors(of: app.id)
    let notes = MergedNotes.current(try states.groupNotes(of: app.id), successors: successors)
    return (
      group.fingerprint, notes[group.fingerprint], successors.filter { $0.value == group.fingerprint }.keys.sorted()
    )
  }

  private struct Kept {
    let sample: GroupSample
    let calls: CallTree
  }

  private func samples(of app: AppID, _ group: Int64) throws -> [Kept] {
    try store.samples(of: app, group: group, newest: limits.newest, typical: limits.typical).compactMap { sample in
      guard let stored = try store.sample(of: app, identity: sample.diagnostic.identity) else { return nil }
      return Kept(sample: sample, calls: (try? calls(stored)) ?? CallTree())
    }
  }

  /// The sample whose threads are shown: the newest with the most frequent stack.
  private static func shown(_ kept: [Kept]) -> Kept? {
    let withCalls = kept.filter { !$0.calls.isEmpty }
    return withCalls.first { $0.sample.isTypical } ?? withCalls.first
  }

  private static func lives(_ lives: [GroupLifetime], _ decision: GroupDecision?) -> [GroupDetail.Lifetime] {
    var resolved: String?
    if case .resolved(let name)? = decision?.state { resolved = name }
    let byRelease = Dictionary(grouping: lives, by: \.release)
    return byRelease.sorted { VersionOrder.precedes($0.key, $1.key) }.compactMap { release, lives in
      guard let first = lives.map(\.firstDay).min(), let last = lives.map(\.lastDay).max() else { return nil }
      return GroupDetail.Lifetime(
        release: release.title, firstDay: first, lastDay: last,
        diagnostics: lives.reduce(0) { $0.saturatingAdd($1.diagnostics) },
        isRegression: resolved.map { !precedes(release, $0) } ?? false)
    }
  }
}
