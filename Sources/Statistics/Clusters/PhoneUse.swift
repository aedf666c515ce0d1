import Telemetry

/// How a window's values spread over phones, as far as can be told from payloads that do not say which phone sent them: a
/// phone sends one a day.
public struct PhoneUse: Sendable, Equatable {
  /// The most payloads on one day.
  private var mostPayloads = 0
  /// Σ√(Q_d − N_d) over days: Q_d − N_d counts the pairs of values within the payloads of a day.
  private var pairs = 0.0

  /// No days.
  public init() {}

  /// Of a window's days.
  public init(_ days: some Sequence<Histogram>) {
    for day in days { add(day) }
  }

  /// Adds a day's values.
  public mutating func add(_ day: Histogram) {
    mostPayloads = max(mostPayloads, day.moments.clusters)
    let within = day.moments.squares.saturatingSubtract(Int128(day.count))
    pairs += Double(wide: max(0, within)).squareRoot()
  }

  /// How many phones there are at least.
  public var phones: Double { Double(max(1, mostPayloads)) }

  /// How many of `n` values a value finds on its own phone, itself included.
  ///
  /// With nⱼ values of phone j on all days, that is Σnⱼ²/n. By Minkowski's inequality Σnⱼ² is at most (Σ√Q_d)², reached
  /// when whoever launches most on one day does so on all. How often a phone launches varies from day to day even so; as
  /// with Poisson's counts, that adds a value to itself only, and so it is taken out of Q_d. Not less than n ÷ phones.
  public func valuesPerPhone(of n: Double) -> Double {
    guard n > 0 else { return 1 }
    return max(1 + pairs * pairs / n, fewestPerPhone(of: n))
  }

  /// As many of `n` values as each phone has if all have equally many.
  func fewestPerPhone(of n: Double) -> Double { n / phones }
}
