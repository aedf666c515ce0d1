import Core
import Foundation
import Statistics
import Storage

/// The first session after an update as a cause of a group: more of its reports come from there than from later sessions
/// of the same build, device class, source and day.
///
/// The report names its session, whose age is stored like those that `sessionsByAge` counts.
struct FirstSessionCause {
  let cause: NamedCause
  /// The share of first sessions among those of each build and device class.
  private let shares: [BuildClass: Double]
  private let ratio: Double

  private struct BuildClass: Hashable {
    let release: Release
    let deviceClass: String
  }

  /// Compares the reports with the sessions of the last days; nil if first sessions do not stand out, if too few
  /// reports or sessions have an age, and for a slice whose sessions are not stored by age.
  ///
  /// - Parameters:
  ///   - query: the group and days.
  ///   - reports: the number of reports on these days.
  ///   - effect: the design effect of reports.
  init?(_ query: GroupQuery, _ scope: Scope, _ reader: GroupReader, reports: Double, effect: Double) throws {
    var whole = Slice(environment: scope.slice.environment)
    whole.release = scope.slice.release
    guard scope.slice == whole, reports > 0 else { return nil }
    var query = query
    query.window = Window(
      from: max(query.window.from, query.window.to - (Retention().sessions - 1)), to: query.window.to)
    let rows = try reader.store.reportsByAge(query, sample: Self.sample(of: reports))
    let known = Self.knownDays(rows)
    guard !known.isEmpty else { return nil }
    let sessions = try reader.health.store.sessionsByAge(
      of: scope.app, environment: scope.slice.environment, releases: nil, in: query.window
    ).filter { row in known.contains(row.day) && whole.release.map(row.release.isCalled) ?? true }
    let strata = Self.strata(rows, sessions, effect)
    let (ours, theirs) = strata.reduce((EventCount.none, EventCount.none)) { ($0.0 + $1.head, $0.1 + $1.base) }
    let (use, events) = (ours.use + theirs.use, ours.events + theirs.events)
    let expected = strata.reduce(0) {
      $0 + ($1.head.events + $1.base.events) * $1.head.use / ($1.head.use + $1.base.use)
    }
    guard expected >= CauseSearch.fewestEvents, ours.use >= CauseSearch.leastShare * use,
      theirs.use >= CauseSearch.leastShare * use, let found = EventCount.ratio(strata),
      EventCount.pValue(strata) < HealthReader.levelOfUpdateCause
    else { return nil }
    let reach = exp(1.96 * found.variance.squareRoot())
    let ratio = RatioInterval(value: found.value, low: found.value / reach, high: found.value * reach)
    guard found.value / reach > Self.tolerated else { return nil }
    let share = ours.events / events
    cause = NamedCause(
      firstSession: ratio, useShare: ours.use / use, eventShare: share, explained: CauseSearch.excess(ratio, share))
    shares = Dictionary(grouping: sessions) { BuildClass(release: $0.release, deviceClass: $0.deviceClass) }
      .mapValues { rows in
        let all = rows.reduce(0) { $0 + Double($1.sessions) }
        let first = rows.reduce(0) { $0 + ($1.age == .firstSession ? Double($1.sessions) : 0) }
        return all > 0 ? first / all : 0
      }
    self.ratio = found.value
  }

  /// The use of each cell, by the texts of `CombinedMember`s, with first sessions counted as many times as they have more
  /// reports.
  func expected(_ uses: [String: Double]) -> [String: Double] {
    var expected = uses
    for (text, use) in uses {
      guard let member = CombinedMember(text),
        let share = shares[
          BuildClass(release: member.release, deviceClass: DeviceClass.of(model: member.device).name)]
      else { continue }
      expected[text] = use * (1 + (ratio - 1) * share)
    }
    return expected
  }

  /// One of how many reports is looked up, so that it is about 50,000 at most, however many arrive on one day. What is
  /// compared are quotients, which a random sample does not change.
  static func sample(of reports: Double) -> Int {
    var sample = 1
    while reports > Double(sample) * 50_000, sample < 1 << 40 { sample *= 2 }
    return sample
  }

  /// The minimum share of a day's reports whose age is known.
  private static let mostlyAged = 0.8
  /// The interval of the ratio must exceed this: OS versions and models of one class may differ in both.
  private static let tolerated = 1.2

  private static func knownDays(_ rows: [ReportsByAge]) -> Set<CalendarDay> {
    let days = Dictionary(grouping: rows, by: \.day).filter { _, rows in
      let (all, aged) = rows.reduce((0.0, 0.0)) {
        ($0.0 + Double($1.reports), $0.1 + ($1.age == nil ? 0 : Double($1.reports)))
      }
      return aged >= mostlyAged * all
    }
    return Set(days.keys)
  }

  /// The reports and sessions of first sessions beside those of later ones, where both have sessions. In a fixed order,
  /// because sums of doubles depend on it.
  private static func strata(
    _ rows: [ReportsByAge], _ sessions: [SessionsByAge], _ effect: Double
  ) -> [(head: EventCount, base: EventCount)] {
    var strata: [[String]: (head: EventCount, base: EventCount)] = [:]
    func add(_ release: Release, _ names: [String], isFirst: Bool, _ count: EventCount) {
      let key = [release.title] + names
      var stratum = strata[key] ?? (.none, .none)
      if isFirst { stratum.head = stratum.head + count } else { stratum.base = stratum.base + count }
      strata[key] = stratum
    }
    for row in rows {
      guard let age = row.age else { continue }
      add(
        row.release, [row.deviceClass, row.source.title, row.day.iso], isFirst: age == .firstSession,
        EventCount(events: Double(row.reports), use: 0, effect: effect))
    }
    for row in sessions {
      add(
        row.release, [row.deviceClass, row.source.title, row.day.iso], isFirst: row.age == .firstSession,
        EventCount(events: 0, use: Double(row.sessions), effect: effect))
    }
    return strata.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
      .filter { $0.head.use > 0 && $0.base.use > 0 }
  }
}

extension EventCount {
  fileprivate static let none = EventCount(events: 0, use: 0)

  fileprivate static func + (left: EventCount, right: EventCount) -> EventCount {
    EventCount(events: left.events + right.events, use: left.use + right.use)
  }
}
