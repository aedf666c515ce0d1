public import Core
import Ingest
public import Storage

extension GroupReader {
  /// The details of one group; nil if no group has this name. For a group that was merged into another, the details of
  /// that one.
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
    // If this group names sessions, so does its kind, and the others need not be read.
    let kind = try count.sessions > 0 ? [count] : store.groups(whole)
    let days = try Self.days(store.counts(own, by: .day), scope.window)[group.id]
    let kept = try samples(of: app.id, group.id)
    let ownBinaries = Set(app.settings.ownBinaries)
    let isSampled = [.hang, .cpuException, .diskWriteException].contains(group.kind)
    return GroupDetail(
      app: app.bundleID, window: scope.window, slice: scope.slice,
      group: summary(
        of: count, frame, total: KindTotal.totals(kind).first, lives: lives,
        days: days ?? [Int](repeating: 0, count: scope.window.days)),
      releases: Self.lives(lives, frame.decisions[group.fingerprint]),
      rates: try rates(of: group, scope, introduced: Self.releases(lives).first),
      systems: try parts(own, .os), devices: try parts(own, .device), samples: kept.map(\.diagnostic),
      threads: isSampled
        ? []
        : kept.first { !$0.calls.isEmpty }.map { ThreadText.threads(of: $0.calls, symbols, own: ownBinaries) } ?? [],
      flame: isSampled ? FlameGraph(kept.map(\.calls), symbols, own: ownBinaries) : nil,
      ticket: try app.settings.ticketURL.map { try TicketTemplate($0) }, asOf: now)
  }

  /// A group with its note, as one who writes another needs it; nil if no group has this name.
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
    let diagnostic: StoredDiagnostic
    let calls: CallTree
  }

  private func samples(of app: AppID, _ group: Int64) throws -> [Kept] {
    try store.samples(of: app, group: group, newest: limits.newest, typical: limits.typical).compactMap { diagnostic in
      guard let sample = try store.sample(of: app, identity: diagnostic.identity) else { return nil }
      return Kept(diagnostic: diagnostic, calls: (try? calls(sample)) ?? CallTree())
    }
  }

  private func parts(_ query: GroupQuery, _ dimension: Dimension) throws -> [GroupDetail.Part] {
    try store.counts(query, by: .member(of: dimension)).map {
      GroupDetail.Part(
        name: $0.part, title: dimension == .device ? DeviceNames.marketingName(of: $0.part) : nil,
        diagnostics: $0.diagnostics)
    }.sorted { ($0.diagnostics, $1.name) > ($1.diagnostics, $0.name) }
  }

  private static func lives(_ lives: [GroupLifetime], _ decision: GroupDecision?) -> [GroupDetail.Lifetime] {
    var resolved: String?
    if case .resolved(let name)? = decision?.state { resolved = name }
    let byRelease = Dictionary(grouping: lives, by: \.release)
    return byRelease.sorted { VersionOrder.precedes($0.key, $1.key) }.compactMap { release, lives in
      guard let first = lives.map(\.firstDay).min(), let last = lives.map(\.lastDay).max() else { return nil }
      return GroupDetail.Lifetime(
        release: release.title, firstDay: first, lastDay: last,
        diagnostics: lives.reduce(0) { $0.addingSaturated($1.diagnostics) },
        isRegression: resolved.map { !precedes(release, $0) } ?? false)
    }
  }
}
