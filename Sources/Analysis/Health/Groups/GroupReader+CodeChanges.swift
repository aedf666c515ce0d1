public import Core
import Statistics
public import Storage

/// What changed in the code behind hangs, CPU exceptions or disk writes between two releases or slices.
public struct CodeChanges: Sendable, Equatable {
  public var kind: DiagnosticKind
  /// The names of the two sides, such as releases.
  public var head: String
  public var base: String
  public var flame: FlameDifference
}

extension GroupReader {
  /// What changed in the code between the two sides of a comparison, for each kind of sampled diagnostics of which both
  /// have call trees.
  public func codeChanges(_ app: App, _ comparison: ReleaseComparison, now: Timestamp) throws -> [CodeChanges] {
    let window = comparison.window
    func scope(_ name: String, _ group: AttributeFilter?) throws -> Scope {
      var query = ReportQuery(from: window.from, to: window.to, environment: comparison.slice.environment)
      (query.os, query.device, query.deviceClass) = (
        comparison.slice.os, comparison.slice.device, comparison.slice.deviceClass
      )
      query.attribute = group ?? comparison.slice.attribute
      query.release = group == nil ? name : comparison.slice.release
      return try health.scope(of: app, query, now: now)
    }
    let head = try scope(comparison.head, comparison.groups?.head)
    let base = try scope(comparison.base, comparison.groups?.base)
    return try DiagnosticKind.allCases.filter(\.isSampled).compactMap { kind in
      try codeChanges(app, kind, head: head, base: base, names: comparison.names)
    }
  }

  /// The releases whose code is compared for an app without sessions.
  func comparedReleases(_ app: App, _ scope: Scope, now: Timestamp) throws -> CostReleases? {
    let query = ReportQuery(from: scope.window.from, to: scope.window.to, environment: scope.slice.environment)
    return try health.comparedReleases(app, query, head: scope.slice.release, now: now).map {
      CostReleases(release: $0.head, base: $0.base)
    }
  }

  /// The same for one group, between the releases that give its cost; nil without a base or call trees.
  func codeChanges(
    _ app: App, of group: StoredGroup, _ releases: CostReleases?, _ scope: Scope
  ) throws -> CodeChanges? {
    guard let releases, let base = releases.base, group.kind.isSampled else { return nil }
    func side(_ release: String) -> Scope {
      var slice = scope.slice
      slice.release = release
      return scope.with(slice: slice)
    }
    return try codeChanges(
      app, group.kind, head: side(releases.release), base: side(base), names: (base, releases.release),
      group: group.id)
  }

  private func codeChanges(
    _ app: App, _ kind: DiagnosticKind, head: Scope, base: Scope, names: (base: String, head: String),
    group: Int64? = nil
  ) throws -> CodeChanges? {
    guard let ours = try trees(kind, head, group), let theirs = try trees(kind, base, group) else { return nil }
    let hours = (head: try hours(head) * ours.share, base: try hours(base) * theirs.share)
    let flame = FlameDifference(
      head: ours.trees, base: theirs.trees, kind: kind, exposure: hours.head > 0 && hours.base > 0 ? hours : nil,
      symbols: symbols, own: Set(app.settings.ownBinaries))
    return CodeChanges(kind: kind, head: names.head, base: names.base, flame: flame)
  }

  /// The stored call trees of a slice, and their share of all its diagnostics; nil without any.
  private func trees(
    _ kind: DiagnosticKind, _ scope: Scope, _ group: Int64?
  ) throws -> (trees: [CostedTree], share: Double)? {
    let stored = try store.stacks(
      GroupQuery(app: scope.app, slice: scope.slice, window: scope.window, kind: kind, group: group))
    guard !stored.stacks.isEmpty, stored.diagnostics > 0 else { return nil }
    // Of a week with many diagnostics, a smaller share is kept, so each counts for more.
    let mean = stored.stacks.reduce(0) { $0 + $1.weight } / Double(stored.stacks.count)
    let trees = stored.stacks.map { stack in
      let sample = StoredSample(calls: stack.calls, body: [], size: 0)
      return CostedTree(
        calls: (try? calls(sample)) ?? CallTree(), cost: stack.quantity.map { $0 * stack.weight / mean },
        cluster: stack.user ?? stack.identity)
    }
    return (trees, min(1, Double(stored.stacks.count) / Double(stored.diagnostics)))
  }

  /// The hours in the foreground; 0 if no payload states them.
  private func hours(_ scope: Scope) throws -> Double {
    let name = "time.foreground"
    guard case .sum(let seconds, _)? = try Measure.named(name, in: health.series(scope, metrics: [name]))?.measure
    else { return 0 }
    return seconds / 3_600
  }
}
