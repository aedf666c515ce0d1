package import Core
import Statistics
package import Storage

/// What performance tests showed of a metric before its releases came to users, beside what users' devices show.
package struct LabAndField: Sendable, Equatable {
  /// The neighbouring releases with runs of the main line, the newest pair last; at most `mostPairs`.
  package var pairs: [LabPair]
  /// The releases with runs, the newest last.
  package var releases: [String]

  /// The most pairs of releases, because each needs a comparison of the field's numbers.
  static let mostPairs = 12
  /// The fewest pairs by which the lab is judged.
  package static let fewestPairs = 5

  package init(pairs: [LabPair] = [], releases: [String] = []) { (self.pairs, self.releases) = (pairs, releases) }

  /// How often the field changed in the direction in which the lab had changed; nil with too few pairs.
  package var record: LabRecord? {
    let known = pairs.compactMap { pair in pair.field.map { (lab: pair.lab.value, field: $0.value) } }
      .filter { $0.lab != 0 && $0.field != 0 }
    guard known.count >= Self.fewestPairs else { return nil }
    let right = known.count { ($0.lab > 0) == ($0.field > 0) }
    let n = Double(known.count)
    let share = Interval.ratio(
      k: Double(right), n: n, effect: DesignEffect(value: 1, of: n, isClustered: false), tail: 0.025)
    return LabRecord(right: right, of: known.count, low: share.low ?? 0, high: share.high ?? 1)
  }
}

/// Two neighbouring releases: the change in the lab and the change in the field, relative to the older release.
package struct LabPair: Sendable, Equatable {
  package var base: String
  package var head: String
  package var lab: ComparedDifference
  package var baseRuns: Int
  package var headRuns: Int
  /// Nil if the field's numbers cannot be compared.
  package var field: ComparedDifference?
  /// Why the field's numbers cannot be compared, without a full stop; nil if they can.
  package var fieldReason: String?

  package init(
    base: String, head: String, lab: ComparedDifference, baseRuns: Int, headRuns: Int, field: FieldChange
  ) {
    (self.base, self.head, self.lab) = (base, head, lab)
    (self.baseRuns, self.headRuns) = (baseRuns, headRuns)
    switch field {
    case .known(let difference): self.field = difference
    case .unknown(let reason): fieldReason = reason
    }
  }
}

/// The relative change of a metric between two releases on users' devices.
package enum FieldChange: Sendable, Equatable {
  case known(ComparedDifference)
  case unknown(String)
}

/// How often the lab foretold the direction of the field's change, with Clopper and Pearson's 95 % interval.
package struct LabRecord: Sendable, Equatable {
  package var right: Int
  package var of: Int
  /// The bounds of the share, 0 to 1.
  package var low: Double
  package var high: Double
}

extension LabAndField {
  /// Compares the releases of runs that have only series of one metric. `field`: the change in the field between two
  /// releases.
  package init(_ runs: [LabRun], field: (_ base: String, _ head: String) throws -> FieldChange) rethrows {
    let byRelease = Dictionary(grouping: runs, by: \.release)
    releases = byRelease.keys.sorted { VersionOrder.precedes($0, $1) }
    pairs = []
    for (base, head) in zip(releases, releases.dropFirst()).suffix(Self.mostPairs) {
      // The newest runs come first.
      func newest(_ release: String) -> [LabRun] { Array((byRelease[release] ?? []).prefix(LabLimits.comparedRuns)) }
      let sides = ((name: base, runs: newest(base)), (name: head, runs: newest(head)))
      guard let pair = try Self.pair(base: sides.0, head: sides.1, field: { try field(base, head) }) else { continue }
      pairs.append(pair)
    }
  }

  private static func pair(
    base: (name: String, runs: [LabRun]), head: (name: String, runs: [LabRun]), field: () throws -> FieldChange
  ) rethrows -> LabPair? {
    let sample = StratifiedLabRuns(base: base.runs, head: head.runs)
    let measure = sample.measure { _ in true }
    // A page has twelve pairs and needs their intervals, not small p-values.
    let assignments = sample.assignments(series: 1, most: 1_000)
    guard let difference = RunDifference.of([measure.values], assignments)[0] else { return nil }
    var lab = measure.shown(difference)
    let before = measure.summary(head: false)
    if !measure.isRelative {
      // Values of 0, as of a test without hitches, have no logarithm.
      guard let mean = before.mean, mean > 0 else { return nil }
      (lab.value, lab.low, lab.high) = (lab.value / mean, lab.low / mean, lab.high / mean)
    }
    return LabPair(
      base: base.name, head: head.name, lab: lab, baseRuns: before.runs, headRuns: measure.summary(head: true).runs,
      field: try field())
  }
}

extension HealthReader {
  /// The relative change of one metric between two releases, as in `compare`.
  package func change(
    of metric: String, base: String, head: String, _ app: App, environment: String, now: Timestamp
  ) throws -> FieldChange {
    let scope = try scope(of: app, ReportQuery(environment: environment), now: now)
    let days: Window
    do {
      days = try commonDays(of: base, and: head, scope, ReportQuery(environment: environment))
    } catch let problem as ImpossibleComparison {
      return .unknown(problem.description)
    }
    let names = Measure.storedNames(of: metric)
    func side(_ release: String, _ window: Window) throws -> ReleaseSeriesPair.Side {
      let own = scope.with(window: window, slice: Slice(environment: environment, release: release))
      return ReleaseSeriesPair.Side(
        whole: try set(own, metrics: names, leavesOutTotals: true),
        classes: try set(own, metrics: names, dimension: .deviceClass, leavesOutTotals: true))
    }
    let pair: ReleaseSeriesPair
    do {
      (_, pair) = try Self.kept(days) { window in
        ReleaseSeriesPair(base: try side(base, window), head: try side(head, window))
      }
    } catch StoreError.windowTooOld(let oldest) {
      return .unknown("their numbers by release are kept from \(oldest.iso)")
    }
    guard let compared = pair.metrics.first(where: { $0.name == metric }).flatMap({ draft($0, pair, in: environment) })
    else { return .unknown("no day has values of both releases") }
    guard compared.result.isRelative else { return .unknown("its difference is not relative") }
    guard let difference = compared.result.difference else {
      return .unknown(compared.result.explanation(base: base, head: head) ?? "too few values")
    }
    return .known(difference)
  }
}

extension ComparedDifference {
  /// The difference of a relative change as text: `+3.1 % (+1.0 to +5.2 %)`; without an interval if it is unbounded.
  package var relativeText: String {
    let words = MetricComparison.relative(self)
    return words.change(value) + (low.isFinite && high.isFinite ? " (\(words.changeInterval))" : "")
  }
}

extension MetricComparison {
  /// A metric of which only a relative difference is known.
  fileprivate static func relative(_ difference: ComparedDifference) -> MetricComparison {
    MetricComparison(
      name: "", title: "", unit: .ratio, kind: .distribution, statistic: nil, budget: nil, direction: .lower,
      source: nil, days: 0, base: ComparedValue(), head: ComparedValue(), difference: difference, isRelative: true,
      margin: LabComparison.usualMargin)
  }
}

extension LabAndField: APIObject {
  package static let fields = Fields<Self>(
    "LabAndField",
    "Changes between neighbouring releases in performance tests and on users' devices, relative to the older release."
  ) {
    Field("releases", \.releases, "The releases with performance-test runs, the newest last.")
    Field("pairs", \.pairs, "Neighbouring releases, the newest last, at most 12.")
    Field("record", \.record, "How often the lab had the sign of the field; null with fewer than five pairs.")
  }
}

extension LabPair: APIObject {
  package static let fields = Fields<Self>("LabPair") {
    Field("base", \.base)
    Field("head", \.head)
    Field("base_runs", \.baseRuns)
    Field("head_runs", \.headRuns)
    Field("lab", \.lab)
    Field("field", \.field, "Null if the releases cannot be compared in the field.")
    Field("field_reason", \.fieldReason, "Why they cannot be compared.")
  }
}

extension LabRecord: APIObject {
  package static let fields = Fields<Self>("LabRecord") {
    Field("right", \.right, "The pairs in which both changes had the same sign.")
    Field("of", \.of)
    Field("low", \.low, "The bounds of the share, 95 %.")
    Field("high", \.high)
  }
}
