import Core
import Statistics
import Storage

extension HealthReader {
  /// Whether a release is worse in the first session after the update than in later ones, compared with the same ages of
  /// the base; nil if it is not, or if the ages are not known.
  ///
  /// - Parameters:
  ///   - source: the source by which the metric is judged.
  ///   - history: the days of the base, whose first sessions are mostly older than those of the release.
  ///   - window: the days of the release.
  ///   - subject: what is compared.
  func updateCause(
    of metric: String, _ source: Source, release: String, base: String, _ scope: Scope, history: Window,
    _ window: Window, _ subject: RolloutAnalysis.Subject
  ) throws -> NamedCause? {
    guard scope.slice == Slice(environment: scope.slice.environment) else { return nil }
    let rows = try agedEvents(of: metric, source, [release, base], scope, history, window, subject)
    func counts(_ name: String, _ days: Window) -> [Stratum: EventCount] {
      rows.reduce(into: [:]) { counts, row in
        guard row.release.isCalled(name), days.from <= row.day, row.day <= days.to else { return }
        let key = Stratum(deviceClass: row.deviceClass, isFirst: row.age == .firstSession)
        counts[key, default: EventCount(events: 0, use: 0)].events += row.events
        counts[key, default: EventCount(events: 0, use: 0)].use += row.use
      }
    }
    let (head, other) = (counts(release, window), counts(base, history))
    let classes = Set(head.keys.map(\.deviceClass)).sorted()
    // Device classes only divide the sessions: none is a part here.
    var table = CauseTable(families: [
      CauseTable.Family(features: classes.map { _ in [] }), CauseTable.Family(features: [[], [0]]),
    ])
    for (index, name) in classes.enumerated() {
      for isFirst in [false, true] {
        let key = Stratum(deviceClass: name, isFirst: isFirst)
        guard let own = head[key], let known = other[key] else { continue }
        let factor = subject.counts.head.effect(of: name)
        table.add(
          [index, isFirst ? 1 : 0], head: EventCount(events: own.events, use: own.use, effect: factor),
          base: EventCount(events: known.events, use: known.use, effect: factor))
      }
    }
    guard let cause = CauseSearch(table).causes.first, cause.pValue < Self.levelOfUpdateCause else { return nil }
    return NamedCause(
      firstSession: cause.ratio, useShare: cause.useShare, eventShare: cause.eventShare, explained: cause.explained)
  }

  /// The events and the use of a metric in one build, device class and day at one age of the update.
  private struct AgedEvents {
    let release: Release
    let deviceClass: String
    let day: CalendarDay
    let age: UpdateAge
    let events: Double
    let use: Double
  }

  private func agedEvents(
    of metric: String, _ source: Source, _ releases: [String], _ scope: Scope, _ history: Window, _ window: Window,
    _ subject: RolloutAnalysis.Subject
  ) throws -> [AgedEvents] {
    let environment = scope.slice.environment
    let builds = Set(
      scope.inventory.releases.map(\.release).filter { build in releases.contains { build.isCalled($0) } })
    guard ["sessions.crash_free", "sessions.hang_free"].contains(metric) else {
      let stored = Array(Measure.storedNames(of: metric).prefix(1))
      let rows = try store.measurementsByAge(
        of: scope.app, environment: environment, releases: builds, metrics: stored, in: history
      ).filter { $0.source == source }
      let limits = Self.firstSessionLimits(
        rows.filter { $0.release.isCalled(releases[1]) && $0.day < window.from }, rank: subject.rank)
      return rows.compactMap { row in
        let limit = (row.age == .firstSession ? limits[row.deviceClass] : nil) ?? subject.limit(row.deviceClass)
        guard let count = RolloutCounts.count(metric, row.aggregate, threshold: limit) else { return nil }
        return AgedEvents(
          release: row.release, deviceClass: row.deviceClass, day: row.day, age: row.age, events: count.events,
          use: count.use)
      }
    }
    let rows = try store.sessionsByAge(of: scope.app, environment: environment, releases: builds, in: history)
    return rows.compactMap { row in
      guard row.source == source, let events = metric == "sessions.crash_free" ? row.crashed : row.hung else {
        return nil
      }
      return AgedEvents(
        release: row.release, deviceClass: row.deviceClass, day: row.day, age: row.age, events: Double(events),
        use: Double(row.sessions))
    }
  }

  /// The values above which those of first sessions are bad, by device class: the percentile of the base's first sessions.
  /// Nearly all of them may lie beyond the common limit, and of these, more can hardly be.
  private static func firstSessionLimits(_ rows: [MeasurementsByAge], rank: Int) -> [String: Double] {
    var merged: [String: Histogram] = [:]
    for row in rows where row.age == .firstSession {
      guard case .distribution(let histogram) = row.aggregate else { continue }
      if merged[row.deviceClass]?.merge(histogram) == nil { merged[row.deviceClass] = histogram }
    }
    return merged.compactMapValues { histogram in
      guard histogram.count >= RolloutAnalysis.fewestValues else { return nil }
      return HistogramReader(histogram).quantile(Double(rank) / 100)?.value
    }
  }

  /// The p-value of a cause that is searched beside the others, so that together they rarely name one by chance.
  static let levelOfUpdateCause = 0.005

  private struct Stratum: Hashable {
    let deviceClass: String
    let isFirst: Bool
  }
}
