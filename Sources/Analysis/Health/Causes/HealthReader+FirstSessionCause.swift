import Core
import Statistics
import Storage

extension HealthReader {
  /// Whether a release crashes or hangs more in the first session after the update than in later ones, compared with the
  /// same ages of the base; nil if it does not, if the ages are not known, and for a metric that is not of sessions.
  ///
  /// - Parameters:
  ///   - source: the source by which the metric is judged.
  ///   - history: the days of the base, whose first sessions are mostly older than those of the release.
  ///   - window: the days of the release.
  func updateCause(
    of metric: String, _ source: Source, release: String, base: String, _ scope: Scope, history: Window,
    _ window: Window, effect: (String) -> Double
  ) throws -> NamedCause? {
    let bad: (SessionsByAge) -> Int64?
    switch metric {
    case "sessions.crash_free": bad = \.crashed
    case "sessions.hang_free": bad = \.hung
    default: return nil
    }
    guard scope.slice == Slice(environment: scope.slice.environment) else { return nil }
    let all = try store.sessionsByAge(of: scope.app, environment: scope.slice.environment, in: history)
    let ours = all.filter { $0.release.isCalled(base) }
    let theirs = all.filter { $0.release.isCalled(release) && window.from <= $0.day && $0.day <= window.to }
    func counts(_ rows: [SessionsByAge]) -> [Stratum: EventCount] {
      rows.reduce(into: [:]) { counts, row in
        guard row.source == source, let events = bad(row) else { return }
        let key = Stratum(deviceClass: row.deviceClass, isFirst: row.age == .firstSession)
        counts[key, default: EventCount(events: 0, use: 0)].events += Double(events)
        counts[key, default: EventCount(events: 0, use: 0)].use += Double(row.sessions)
      }
    }
    let (head, other) = (counts(theirs), counts(ours))
    let classes = Set(head.keys.map(\.deviceClass)).sorted()
    // Device classes only divide the sessions: none is a part here.
    var table = CauseTable(families: [
      CauseTable.Family(features: classes.map { _ in [] }), CauseTable.Family(features: [[], [0]]),
    ])
    for (index, name) in classes.enumerated() {
      for isFirst in [false, true] {
        let key = Stratum(deviceClass: name, isFirst: isFirst)
        guard let own = head[key], let known = other[key] else { continue }
        let factor = effect(name)
        table.add(
          [index, isFirst ? 1 : 0], head: EventCount(events: own.events, use: own.use, effect: factor),
          base: EventCount(events: known.events, use: known.use, effect: factor))
      }
    }
    guard let cause = CauseSearch(table).causes.first, cause.pValue < Self.levelOfUpdateCause else { return nil }
    return NamedCause(
      firstSession: cause.ratio, useShare: cause.useShare, eventShare: cause.eventShare, explained: cause.explained)
  }

  /// The p-value of a cause that is searched beside the others, so that together they rarely name one by chance.
  static let levelOfUpdateCause = 0.005

  private struct Stratum: Hashable {
    let deviceClass: String
    let isFirst: Bool
  }
}
