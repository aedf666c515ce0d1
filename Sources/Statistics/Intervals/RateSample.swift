import Core

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A ratio of sums over payloads, such as hang time per foreground time or exits per launch. Its squared standard error
/// has two parts: the error that independent events would have, and the variation between phones.
///
/// Payloads do not identify their phone, but a phone sends one a day. Any variation between the payloads of a day
/// beyond that of independent events is therefore attributed to phones, and assumed to recur every day.
/// `docs/accuracy.md` has the simulations that chose the constants.
public struct RateSample: Sendable, Equatable {
  /// The rate Σx ÷ Σy; with strata, the weighted mean of their rates.
  public let value: Double
  /// The number of payloads with a denominator.
  let payloads: Int
  /// The squared standard error of `value` if events were independent.
  private let eventVariance: Double
  /// The degrees of freedom of `eventVariance`: infinite for counts, whose variance is their mean.
  private let eventFreedom: Double
  /// The squared coefficient of variation between phones' rates.
  private let spread: Double
  /// The factor of `spread` in the squared standard error: Σy² over phones divided by (Σy)². It is one over the number
  /// of phones if all are used equally.
  private let concentration: Double
  /// The largest number of payloads that one phone can have sent.
  private let perPhone: Double
  /// The rate if there were a single event.
  private let oneEvent: Double

  /// A lower bound of the number of phones, at least 1.
  private var phones: Double { max(1, Double(payloads) / perPhone) }

  /// The days of one stratum and the weight of its rate.
  public struct Stratum: Sendable {
    var days: [RatioMoments]
    var weight: Double

    public init(days: [RatioMoments], weight: Double) {
      self.days = days
      self.weight = weight
    }
  }

  /// The size of events: 1 for each counted event, the duration for each hang.
  public struct EventSize: Sendable, Equatable {
    /// The mean size of events weighted by size, Σd² ÷ Σd, in the unit of x; nil if single events are unknown.
    var weighted: Double?
    /// The assumed size of an event if none was observed, in the unit of x.
    var assumed: Double
    /// The number of observed events; infinite if all have the same size.
    var events: Double

    public init(weighted: Double?, assumed: Double, events: Double) {
      self.weighted = weighted
      self.assumed = assumed
      self.events = events
    }

    /// The known or assumed size.
    public var typical: Double { weighted ?? assumed }

    /// The size of counted events, each of which adds 1.
    public static let one = EventSize(weighted: 1, assumed: 1, events: .infinity)
  }

  /// Estimates the rate over all days of a window; nil if y is 0 everywhere.
  public init?(days: [RatioMoments], events: EventSize) {
    let exposure = days.reduce(0) { $0 + Double($1.y) }
    self.init([Stratum(days: days, weight: exposure)], events: events)
  }

  /// Estimates the mean of the strata's rates with their weights; nil without y or weight. Variation between phones is
  /// measured within strata, so that differences between strata do not widen bounds.
  ///
  /// - Parameter phoneDays: the days of all strata of one phone together, if those of `strata` are of different phones.
  public init?(_ strata: [Stratum], phoneDays: [RatioMoments]? = nil, events: EventSize) {
    let strata = strata.map { (days: $0.days, weight: $0.weight, sums: RatioMoments(sum: $0.days)) }
      .filter { $0.sums.y > 0 && $0.weight > 0 }
    let total = strata.reduce(0) { $0 + $1.weight }
    guard total > 0, total < .infinity else { return nil }
    let whole = RatioMoments(sum: strata.map(\.sums))
    let payloads = Double(whole.clusters)
    let size = events.weighted.map { $0 * (events.events < .infinity ? 1 + 1 / max(1, events.events) : 1) }
    var (value, eventVariance, squares, residual, expected) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for stratum in strata {
      let y = Double(stratum.sums.y)
      let x = Double(stratum.sums.x)
      let scale = stratum.weight / total / y
      value += scale * x
      eventVariance += scale * scale * x * max(size ?? 0, 0)
      squares += scale * scale * Double(wide: stratum.sums.yy)
      residual += stratum.sums.residual(share: x / y)
      expected += x / y * (x / y) * Double(wide: stratum.sums.yy)
    }
    let noise = Double(whole.x) * (size ?? 0)
    let free = payloads > Double(strata.count) ? payloads / (payloads - Double(strata.count)) : 1
    let perPhone = Self.perPhone(phoneDays ?? strata.flatMap(\.days), payloads: payloads)
    self.value = value
    self.payloads = whole.clusters
    self.perPhone = perPhone
    spread = expected > 0 ? max(0, residual * free - noise) / expected : 0
    concentration = perPhone * squares
    eventFreedom = max(1, events.events - 1)
    oneEvent =
      events.assumed
      * strata.reduce(0) { sum, stratum in
        let scale = stratum.weight / total
        return sum + scale * scale / Double(stratum.sums.y)
      }
    // Unknown single events cannot be distinguished from phones; they are at least as large as assumed.
    self.eventVariance = size == nil ? value * oneEvent : eventVariance
  }

  /// The largest number of payloads that one phone can have sent. By Minkowski's inequality a phone's share of Σy² over
  /// all days is largest if the phones with the highest use on one day have the highest on every day. It is at least
  /// the share of equally used phones.
  private static func perPhone(_ days: [RatioMoments], payloads: Double) -> Double {
    var (roots, squares, most) = (0.0, 0.0, 1)
    for day in days where day.clusters > 0 {
      let own = Double(wide: max(0, day.yy))
      roots += own.squareRoot()
      squares += own
      most = max(most, day.clusters)
    }
    return max(1, payloads / Double(most), squares > 0 ? roots * roots / squares : 1)
  }
}

extension RateSample {
  /// Unseen phones that are added to the observed ones, because a few phones do not show how much phones differ: their
  /// number, and the square of their coefficient of variation.
  private struct Assumption {
    var squaredVariation: Double
    var phones: Double

    /// The assumption for the lower bound. It is weaker, because unseen heavy users can only raise the true rate.
    static let low = Assumption(squaredVariation: 1, phones: 3)
    static let high = Assumption(squaredVariation: 3, phones: 15)
    /// The number of phones that `high` adds even if each phone sent only one payload.
    static let singlePayloads = 6.0
  }

  /// The squared standard error of the rate and its degrees of freedom, with the phones of `assumption` and `single`
  /// additional ones.
  private func variance(_ assumption: Assumption, single: Double) -> (value: Double, freedom: Double) {
    let assumed = assumption.phones * (1 - 1 / perPhone) + single
    let spread = (phones * spread + assumed * max(assumption.squaredVariation, spread)) / (phones + assumed)
    let between = spread * value * value * concentration
    let variance = eventVariance + between
    guard variance > 0 else { return (0, .infinity) }
    let share = between / variance
    let uncertainty = share * share / max(1, phones - 1) + (1 - share) * (1 - share) / eventFreedom
    return (variance, uncertainty > 0 ? 1 / uncertainty : .infinity)
  }

  /// Bounds on the rate that leave `tail` outside on each side; nil below ten payloads, which are too few.
  ///
  /// They are Garwood's bounds on the number of independent events with the same relative variance, value²/variance,
  /// divided by the square of the ratio of Student's to the normal quantile. The upper bound is at least that of a
  /// log-normal variable.
  public func bounds(tail: Double) -> (low: Double, high: Double)? {
    guard payloads >= DesignEffect.fewestClusters, Interval.isTail(tail) else { return nil }
    let low = variance(.low, single: 0)
    let high = variance(.high, single: Assumption.singlePayloads)
    return (
      lowBound(low.value, low.freedom, tail: tail),
      highBound(high.value, high.freedom, tail: tail, single: Assumption.singlePayloads)
    )
  }

  private func events(_ variance: Double, _ freedom: Double, tail: Double) -> Double {
    let z = -SpecialFunctions.normalQuantile(tail)
    let t = freedom < 1e6 ? SpecialFunctions.studentTQuantile(1 - tail, freedom) : z
    return value * value / max(variance * (t / z) * (t / z), .leastNormalMagnitude)
  }

  private func lowBound(_ variance: Double, _ freedom: Double, tail: Double) -> Double {
    guard value > 0 else { return 0 }
    let events = events(variance, freedom, tail: tail)
    return value * (Interval.poisson(count: events, tail: tail).low / events)
  }

  private func highBound(_ variance: Double, _ freedom: Double, tail: Double, single: Double) -> Double {
    guard value > 0 else { return noneSeen(tail: tail, single: single) }
    let events = events(variance, freedom, tail: tail)
    let poisson = Interval.poisson(count: events, tail: tail).high / events
    // A comparison assumes nothing about unseen phones: they are missing on both sides.
    guard single > 0 else { return value * poisson }
    let logNormal = exp(-SpecialFunctions.normalQuantile(tail) / events.squareRoot())
    return value * max(poisson, logNormal)
  }

  /// The upper bound if no event was observed: the rate at which phones that differ as assumed would show no event with
  /// probability `tail`. It is the zero term of a negative binomial distribution, and −ln(tail) events if all phones
  /// are alike.
  private func noneSeen(tail: Double, single: Double) -> Double {
    let assumed = Assumption.high.phones * (1 - 1 / perPhone) + single
    let variation = assumed * Assumption.high.squaredVariation / (phones + assumed)
    let perPhone = variation > 0 ? expm1(-log(tail) * variation / phones) / variation * phones : -log(tail)
    return perPhone * oneEvent
  }
}

extension RateSample {
  /// The amount x that carries the information of one independent event: x ÷ (value² ÷ variance). Nil below ten
  /// payloads.
  public func amountPerEvent(of x: Double) -> Double? {
    guard payloads >= DesignEffect.fewestClusters, value > 0, x > 0 else { return nil }
    return x * variance(.low, single: 0).value / (value * value)
  }

  /// The design effects of a share computed from this rate: its variance relative to that of independent events, for
  /// the lower and for the upper bound.
  public func designEffects(of n: Double) -> (low: DesignEffect, high: DesignEffect) {
    guard payloads >= DesignEffect.fewestClusters else { return (.none(of: n), .none(of: n)) }
    let effects = [variance(.low, single: 0), variance(.high, single: Assumption.singlePayloads)].map {
      let value = eventVariance > 0 ? $0.value / eventVariance : 1
      return DesignEffect(value: value, of: n, isClustered: true, freedom: $0.freedom)
    }
    return (effects[0], effects[1])
  }
}

extension ComparableEstimate {
  /// Converts a rate for a comparison. Both releases run on the same kind of phones, so nothing is assumed about phones
  /// that sent only one payload. Nil below ten payloads.
  public init?(_ rate: RateSample, factor: Double) {
    guard let bounds = rate.comparableBounds(tail: Self.boundTail) else { return nil }
    func squared(_ distance: Double) -> Double {
      let error = max(0, distance) / Self.boundWidth * factor
      return error * error
    }
    self.init(
      value: rate.value * factor, below: squared(rate.value - bounds.low), above: squared(bounds.high - rate.value),
      freedom: bounds.freedom)
  }
}

extension RateSample {
  /// Bounds on the rate as if the variances were known exactly, and the degrees of freedom of these variances.
  fileprivate func comparableBounds(tail: Double) -> (low: Double, high: Double, freedom: Double)? {
    guard payloads >= DesignEffect.fewestClusters else { return nil }
    let error = variance(.low, single: 0)
    return (
      lowBound(error.value, .infinity, tail: tail), highBound(error.value, .infinity, tail: tail, single: 0),
      error.freedom
    )
  }
}

extension RatioMoments {
  /// Adds up the sums of several days.
  init(sum days: some Sequence<RatioMoments>) {
    self.init()
    for day in days { merge(day) }
  }
}
