import Core

/// The distribution of a window's values over phones. It is estimated from payloads that do not identify their phone:
/// each phone sends one payload a day.
public struct DeviceClusterSize: Sendable, Equatable {
  /// The largest number of payloads on one day.
  private var mostPayloads = 0
  /// Σ√(Q_d − N_d) over days, where Q_d − N_d is the number of ordered pairs of values within the payloads of a day.
  private var pairs = 0.0

  /// Creates a distribution without values.
  public init() {}

  /// The distribution of a window, from the histograms of its days.
  public init(_ days: some Sequence<Histogram>) {
    for day in days { add(day) }
  }

  /// Adds the values of a day.
  public mutating func add(_ day: Histogram) {
    mostPayloads = max(mostPayloads, day.moments.clusters)
    let within = day.moments.squares.saturatingSubtract(Int128(day.count))
    pairs += Double(wide: max(0, within)).squareRoot()
  }

  /// Adds the values of other days.
  public mutating func merge(_ other: DeviceClusterSize) {
    mostPayloads = max(mostPayloads, other.mostPayloads)
    pairs += other.pairs
  }

  /// A lower bound of the number of phones: the payloads of the day with the most payloads.
  var phones: Double { Double(max(1, mostPayloads)) }

  /// The mean number of values on the phone of a value, itself included, for `n` values.
  ///
  /// With nⱼ values of phone j on all days, that is Σnⱼ²/n. By Minkowski's inequality Σnⱼ² is at most (Σ√Q_d)², which
  /// is reached if the phones with the most launches on one day have the most on every day. The number of launches of a
  /// phone still varies from day to day. As in Poisson counts, this variation only pairs a value with itself, so these
  /// pairs are removed from Q_d. The result is at least n ÷ phones.
  func valuesPerPhone(of n: Double) -> Double {
    guard n > 0 else { return 1 }
    return max(1 + pairs * pairs / n, fewestPerPhone(of: n))
  }

  /// The number of values per phone if the `n` values are spread evenly over phones.
  func fewestPerPhone(of n: Double) -> Double { n / phones }
}
