import Core
import Statistics
import Storage

/// One metric of two releases, divided by device class and day. Only data of the same classes and days are compared, so
/// that newer phones or a bad day of the backend do not look like an effect of the release.
struct StratifiedMeasures {
  private let name: String
  private let base: Measure
  private let head: Measure
  private let classes: [ClassPair]

  /// One device class with data of both releases.
  private struct ClassPair {
    let name: String
    let base: [Series]
    let head: [Series]
    /// The days on which both releases have data, in stretches of equal length: at most `mostStretches`.
    let stretches: [[CalendarDay]]
  }

  /// The maximum number of stretches into which a window is divided. In longer windows, stretches are weeks or
  /// fortnights instead of days.
  private static let mostStretches = 28

  init(_ name: String, _ pair: SeriesPair, _ base: Measure, _ head: Measure) {
    self.name = name
    self.base = base
    self.head = head
    let main = Measure.storedNames(of: name).first ?? name
    classes = pair.base.classes.keys.sorted().compactMap { key in
      guard let ours = pair.base.classes[key], let theirs = pair.head.classes[key],
        let one = ours.first(where: { $0.metric.name == main }),
        let other = theirs.first(where: { $0.metric.name == main })
      else { return nil }
      let shared = Set(one.allDays).intersection(other.allDays).sorted()
      guard !shared.isEmpty else { return nil }
      return ClassPair(name: key, base: ours, head: theirs, stretches: Self.stretches(shared))
    }
  }

  private static func stretches(_ days: [CalendarDay]) -> [[CalendarDay]] {
    guard let first = days.first, let last = days.last else { return [] }
    let length = (last.number - first.number) / mostStretches + 1
    return Dictionary(grouping: days) { ($0.number - first.number) / length }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The larger number of bad events of the two releases, with each user counted once; infinite for metrics without bad
  /// events.
  var events: Double {
    switch (base, head) {
    case (.share(let one), .share(let other)): max(one.badUsers, other.badUsers)
    case (.rate(let one), .rate(let other)):
      Double(max(min(one.sums.x, Int64(one.sums.clusters)), min(other.sums.x, Int64(other.sums.clusters))))
    default: .infinity
    }
  }

  /// The difference of a statistic between the releases, on the comparison scale, and the difference within each device
  /// class with enough data.
  func difference(_ statistic: Budget.Statistic) -> (whole: Difference, classes: [ClassDifference])? {
    switch (base, head) {
    case (.distribution(let one), .distribution(let other)): distributions(statistic, one, other)
    case (.share(let one), .share(let other)): shares(one, other)
    case (.rate(let one), .rate(let other)): rates(one, other)
    default: nil
    }
  }

  /// The difference within one device class.
  struct ClassDifference {
    let name: String
    let difference: Difference
  }
}

extension StratifiedMeasures {
  /// The p-value for a difference of shares over all devices. It is valid even for a handful of bad events. Nil for
  /// metrics that are not shares.
  var conditionalPValue: Double? {
    guard case .share(let one) = base, case .share(let other) = head else { return nil }
    let effects = effects(one, other)
    return ShareCount.conditionalPValue(
      base: ShareCount(k: one.bad, n: one.known, deff: effects.base.value),
      head: ShareCount(k: other.bad, n: other.known, deff: effects.head.value))
  }

  /// The p-value for a difference of the user-days with a crash per session; nil for other metrics. Who uses the app more
  /// has more crashes on a day, and heavy users often update first.
  var pValuePerSession: Double? {
    guard name == "users.crash_free_daily", case .share(let one) = base, case .share(let other) = head else {
      return nil
    }
    let effects = effects(one, other)
    let strata = classes.flatMap { pair in
      pair.stretches.compactMap { days -> Stratum<ShareCount>? in
        guard let base = Measure.crashedUserDays(in: pair.base, on: days),
          let head = Measure.crashedUserDays(in: pair.head, on: days)
        else { return nil }
        let ours = ShareCount(k: base.bad, n: base.n, deff: effects.base.value)
        let theirs = ShareCount(k: head.bad, n: head.n, deff: effects.head.value)
        return Stratum(base: ours, head: theirs, baseSize: ours.n, headSize: theirs.n)
      }
    }
    return Difference.shares(strata).map { $0.value > 0 ? $0.pValue : 1 }
  }

  private func effects(_ one: ShareMeasure, _ other: ShareMeasure) -> (base: DesignEffect, head: DesignEffect) {
    DesignEffect.forShares(base: one.clusterEffect, one.returning, head: other.clusterEffect, other.returning)
  }

  private func shares(_ one: ShareMeasure, _ other: ShareMeasure) -> (whole: Difference, classes: [ClassDifference])? {
    let effects = effects(one, other)
    let strata = classes.map { pair in
      pair.stretches.compactMap { days -> Stratum<ShareCount>? in
        guard let base = Measure.shareCounts(name, in: pair.base, on: days),
          let head = Measure.shareCounts(name, in: pair.head, on: days)
        else { return nil }
        let ours = ShareCount(k: base.bad, n: base.n, deff: effects.base.value)
        let theirs = ShareCount(k: head.bad, n: head.n, deff: effects.head.value)
        return Stratum(base: ours, head: theirs, baseSize: ours.n, headSize: theirs.n)
      }
    }
    func reported(_ strata: [Stratum<ShareCount>]) -> Difference? {
      let difference = Difference.shares(strata)
      return one.isComplement ? difference?.negated : difference
    }
    guard var whole = reported(strata.flatMap { $0 }) else { return nil }
    let own = zip(classes, strata).compactMap { pair, strata in
      reported(strata).map { ClassDifference(name: pair.name, difference: $0) }
    }
    whole.strata = own.count
    return (whole, own)
  }
}

extension StratifiedMeasures {
  private func rates(_ one: RateMeasure, _ other: RateMeasure) -> (whole: Difference, classes: [ClassDifference])? {
    let strata = classes.map { pair in
      pair.stretches.compactMap { days -> (base: RateSample.Stratum, head: RateSample.Stratum)? in
        let (ours, theirs) = (rateDays(pair.base, days), rateDays(pair.head, days))
        let (y, z) = (ours.reduce(0) { $0 + Double($1.y) }, theirs.reduce(0) { $0 + Double($1.y) })
        guard y > 0, z > 0 else { return nil }
        return (.init(days: ours, weight: y * z / (y + z)), .init(days: theirs, weight: y * z / (y + z)))
      }
    }
    func difference(_ strata: [(base: RateSample.Stratum, head: RateSample.Stratum)], isWhole: Bool) -> Difference? {
      guard
        let ours = RateSample(strata.map(\.base), phoneDays: isWhole ? one.days : nil, events: one.events),
        let theirs = RateSample(strata.map(\.head), phoneDays: isWhole ? other.days : nil, events: other.events),
        let base = ComparableEstimate(ours, factor: one.factor),
        let head = ComparableEstimate(theirs, factor: other.factor)
      else { return nil }
      return .of([Stratum(base: base, head: head, weight: 1)])
    }
    guard var whole = difference(strata.flatMap { $0 }, isWhole: true) else { return nil }
    whole.strata = strata.count { !$0.isEmpty }
    let own = zip(classes, strata).compactMap { pair, strata in
      difference(strata, isWhole: false).map { ClassDifference(name: pair.name, difference: $0) }
    }
    return (whole, own)
  }

  private func rateDays(_ series: [Series], _ days: [CalendarDay]) -> [RatioMoments] {
    guard let own = series.first(where: { $0.metric.name == name }) else { return [] }
    return days.compactMap { if case .pair(let sums) = own[$0] { sums } else { nil } }
  }
}

extension StratifiedMeasures {
  private func distributions(
    _ statistic: Budget.Statistic, _ one: DistributionMeasure, _ other: DistributionMeasure
  ) -> (whole: Difference, classes: [ClassDifference])? {
    let ours = parts(\.base, one)
    let theirs = parts(\.head, other)
    let sharesBuckets = one.histogram.sharesBuckets(with: other.histogram)
    var strata: [Stratum<ComparableEstimate>] = []
    var own: [ClassDifference] = []
    // The test's counts are exact only if the edges of one release's buckets are edges of the other's.
    func tested(_ difference: Difference, _ classes: Range<Int>) -> Difference {
      guard sharesBuckets, case .percentile(let rank) = statistic else { return difference }
      let samples = classes.map {
        ClassSample(base: ours[$0], head: theirs[$0], weights: Self.weights(ours[$0], theirs[$0]))
      }
      return PercentileTest(Double(rank) / 100, samples).map(difference.tested) ?? difference
    }
    for (index, pair) in classes.enumerated() {
      let weights = Self.weights(ours[index], theirs[index])
      guard let base = Self.estimate(statistic, ours[index], weights),
        let head = Self.estimate(statistic, theirs[index], weights)
      else { continue }
      let stratum = Stratum(base: base, head: head, weight: weights.reduce(0, +))
      strata.append(stratum)
      if let difference = Difference.of([stratum], sharesBuckets: sharesBuckets) {
        own.append(ClassDifference(name: pair.name, difference: tested(difference, index..<index + 1)))
      }
    }
    if let whole = Difference.of(strata, sharesBuckets: sharesBuckets) {
      return (tested(whole, classes.indices), own)
    }
    // No class has bounds in both releases, so combine all classes, each with the same weight in both releases.
    let (all, others) = (ours.flatMap { $0 }, theirs.flatMap { $0 })
    let weights = Self.weights(all, others)
    guard let base = Self.estimate(statistic, all, weights), let head = Self.estimate(statistic, others, weights),
      var whole = Difference.of([Stratum(base: base, head: head, weight: 1)], sharesBuckets: sharesBuckets)
    else { return nil }
    whole.strata = zip(ours, theirs).count { Self.weights($0, $1).contains { $0 > 0 } }
    return (tested(whole, classes.indices), [])
  }

  /// The values of one release for each device class and stretch of days. All parts of a class use the design effect of
  /// the class, which is estimated from the values of single days.
  private func parts(
    _ side: KeyPath<ClassPair, [Series]>, _ whole: DistributionMeasure
  ) -> [[SamplePart]] {
    let stretches = classes.map { pair -> [Histogram] in
      guard let series = pair[keyPath: side].first(where: { $0.metric.name == name }) else { return [] }
      return pair.stretches.map { days in
        Histogram(
          sum: days.compactMap { if case .distribution(let histogram) = series[$0] { histogram } else { nil } })
      }
    }
    let totals = stretches.map { Histogram(sum: $0) }
    let phones = classes.map { pair -> DeviceClusterSize in
      DeviceClusterSize(pair[keyPath: side].first { $0.metric.name == name }?.distributions ?? [])
    }
    let effects = DesignEffect.forStrata(
      totals, phones: phones, oneValuePerCluster: whole.weight == .deviceDay, days: stretches.flatMap { $0 })
    return zip(stretches, effects).enumerated().map { index, found in
      found.0.map { histogram in
        SamplePart(
          reader: HistogramReader(histogram, stepsPerUnit: whole.reader.stepsPerUnit),
          effect: found.1.on(Double(histogram.count)), deviceClass: index)
      }
    }
  }

  private static func weights(_ ours: [SamplePart], _ theirs: [SamplePart]) -> [Double] {
    zip(ours, theirs).map { one, other in
      let sum = one.effect.nEffective + other.effect.nEffective
      return sum > 0 ? one.effect.nEffective * other.effect.nEffective / sum : 0
    }
  }

  private static func estimate(
    _ statistic: Budget.Statistic, _ parts: [SamplePart], _ weights: [Double]
  ) -> ComparableEstimate? {
    switch statistic {
    case .percentile(let rank): .quantile(Double(rank) / 100, of: parts, weights: weights)
    case .mean: .mean(of: parts, weights: weights)
    case .value: nil
    }
  }
}
