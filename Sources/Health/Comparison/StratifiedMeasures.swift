import Budgets
import Statistics
import Storage
import Telemetry

/// The measures of one metric for two releases, for each device class that both have.
struct StratifiedMeasures {
  private let base: Measure
  private let head: Measure
  private let classes: [(base: Side, head: Side)]

  private struct Side {
    let measure: Measure
    /// The most payloads on one day, which approximates the number of devices.
    let most: Int
  }

  init(_ name: String, _ pair: SeriesPair, _ base: Measure, _ head: Measure) {
    self.base = base
    self.head = head
    func side(_ series: [Series]?) -> Side? {
      guard let series, let measure = Measure.named(name, in: series)?.measure, measure.n > 0 else { return nil }
      let own = series.first { $0.metric.name == name }
      return Side(measure: measure, most: own?.mostClustersOnOneDay ?? 0)
    }
    classes = pair.base.classes.keys.sorted().compactMap { key in
      guard let one = side(pair.base.classes[key]), let other = side(pair.head.classes[key]) else { return nil }
      return (one, other)
    }
  }

  /// The number of bad events on the side that has more, with those of one user counted once. Infinite for metrics
  /// without bad events.
  var events: Double {
    switch (base, head) {
    case (.share(let one), .share(let other)): max(one.badUsers, other.badUsers)
    case (.rate(let one), .rate(let other)):
      Double(max(min(one.sums.x, Int64(one.sums.clusters)), min(other.sums.x, Int64(other.sums.clusters))))
    default: .infinity
    }
  }

  /// Head minus base, combined over device classes, on the scale of the computation (logarithms for distributions).
  func difference(_ statistic: Budget.Statistic) -> Difference? {
    switch (base, head) {
    case (.distribution, .distribution): distributions(statistic)
    case (.share(let one), .share(let other)): shares(one, other)
    case (.rate, .rate): rates
    default: nil
    }
  }

  /// For shares, the p-value of the conditional test over all devices together, which holds even for a few bad
  /// events. Nil for other kinds.
  var conditionalPValue: Double? {
    guard case (.share(let one), .share(let other)) = (base, head) else { return nil }
    let effects = DesignEffect.forShares(
      base: one.clusterEffect, one.returning, head: other.clusterEffect, other.returning)
    return ShareCount.conditionalPValue(
      base: ShareCount(k: one.bad, n: one.n, deff: effects.base.value),
      head: ShareCount(k: other.bad, n: other.n, deff: effects.head.value))
  }

  private func distributions(_ statistic: Budget.Statistic) -> Difference? {
    let ours = Self.distributions(classes.map(\.base))
    let theirs = Self.distributions(classes.map(\.head))
    let strata = zip(ours, theirs).compactMap { one, other -> Stratum<ComparableEstimate>? in
      guard let base = one.estimate(statistic), let head = other.estimate(statistic) else { return nil }
      return Stratum(base: base, head: head, baseSize: one.effect.nEffective, headSize: other.effect.nEffective)
    }
    return strata.isEmpty ? together(ours, theirs, statistic) : .of(strata)
  }

  /// The difference when no device class has bounds in both releases: all classes combined, each with the same weight
  /// in both.
  private func together(
    _ ours: [ClassSample], _ theirs: [ClassSample], _ statistic: Budget.Statistic
  ) -> Difference? {
    guard case .percentile(let rank) = statistic else { return nil }
    let weights = zip(ours, theirs).map {
      Stratum(base: 0, head: 0, baseSize: $0.effect.nEffective, headSize: $1.effect.nEffective).weight
    }
    let p = Double(rank) / 100
    guard let base = ComparableEstimate.quantile(p, of: ours, weights: weights),
      let head = ComparableEstimate.quantile(p, of: theirs, weights: weights)
    else { return nil }
    var difference = Difference.of([Stratum(base: base, head: head, baseSize: 1, headSize: 1)])
    difference?.strata = weights.count { $0 > 0 }
    return difference
  }

  private static func distributions(_ sides: [Side]) -> [ClassSample] {
    let measures = sides.compactMap { side -> DistributionMeasure? in
      if case .distribution(let measure) = side.measure { measure } else { nil }
    }
    guard measures.count == sides.count else { return [] }
    let effects = DesignEffect.forStrata(
      measures.map(\.histogram), phones: measures.map(\.phones),
      oneValuePerCluster: measures.first?.weight == .deviceDay)
    return zip(measures, effects).map { ClassSample(reader: $0.reader, effect: $1) }
  }

  private func shares(_ one: ShareMeasure, _ other: ShareMeasure) -> Difference? {
    let effects = DesignEffect.forShares(
      base: one.clusterEffect, one.returning, head: other.clusterEffect, other.returning)
    func count(_ side: Side, _ whole: DesignEffect) -> ShareCount? {
      guard case .share(let measure) = side.measure else { return nil }
      return ShareCount(k: measure.bad, n: measure.n, deff: whole.value)
    }
    let strata = classes.compactMap { pair -> Stratum<ShareCount>? in
      guard let base = count(pair.base, effects.base), let head = count(pair.head, effects.head) else { return nil }
      return Stratum(base: base, head: head, baseSize: base.n, headSize: head.n)
    }
    let difference = Difference.shares(strata)
    return one.isComplement ? difference?.negated : difference
  }

  private var rates: Difference? {
    func estimate(_ side: Side) -> (ComparableEstimate, size: Double)? {
      guard case .rate(let measure) = side.measure else { return nil }
      // Payloads of one device are assumed to be alike, as if each had one value.
      let perPhone = Double(measure.sums.clusters) / Double(max(1, side.most))
      guard let estimate = ComparableEstimate.rate(measure.sums, deff: 1 + 0.5 * (perPhone - 1)) else { return nil }
      return (estimate.scaled(by: measure.factor), Double(measure.sums.y))
    }
    return .of(
      classes.compactMap { pair in
        guard let base = estimate(pair.base), let head = estimate(pair.head) else { return nil }
        return Stratum(base: base.0, head: head.0, baseSize: base.size, headSize: head.size)
      })
  }
}

extension ClassSample {
  fileprivate func estimate(_ statistic: Budget.Statistic) -> ComparableEstimate? {
    switch statistic {
    case .percentile(let rank): .quantile(Double(rank) / 100, of: reader, effect: effect)
    case .mean: .mean(of: reader, effect: effect)
    case .value: nil
    }
  }
}

extension Series {
  /// The most payloads with a value on one day.
  var mostClustersOnOneDay: Int {
    parts.map { day in
      switch day {
      case .distribution(let histogram): histogram.moments.clusters
      case .pair(let sums): sums.clusters
      default: 0
      }
    }.max() ?? 0
  }
}
