import Foundation
public import Statistics

/// Phones that launch an app, each at a level of its own and with a payload a day. Launch times are log-normal.
public struct LaunchFleet: Sendable {
  public var phones: Int
  public var days: Int
  /// Mean launches of a phone on a day.
  public var launches: Double
  /// The correlation of the logarithms of two launches of one phone.
  public var likeness: Double
  /// In 10 ms buckets, as MetricKit counts them, instead of raw.
  public var isBucketed: Bool
  /// Launches of the first phone on the first day, or on every day.
  public var busyLaunches: Double?
  public var isBusyDaily: Bool

  public init(
    phones: Int = 30, days: Int = 7, launches: Double = 1.5, likeness: Double = 0, isBucketed: Bool = false,
    busyLaunches: Double? = nil, isBusyDaily: Bool = false
  ) {
    self.phones = phones
    self.days = days
    self.launches = launches
    self.likeness = likeness
    self.isBucketed = isBucketed
    self.busyLaunches = busyLaunches
    self.isBusyDaily = isBusyDaily
  }

  /// The median and the p90 lie at the upper edge of a bin, so that the comparison of bins forgives nothing.
  static let median = exp2(618.0 / 64)
  static let deviation = 47 * log(2.0) / 64 / 1.281_551_565_544_6

  /// What all phones sent.
  public func window(_ random: inout FleetRandom) -> (histogram: Histogram, phones: PhoneUse) {
    var byDay = [Histogram](repeating: Histogram(scheme: .logarithmic), count: days)
    for phone in 0..<phones {
      let level = likeness.squareRoot() * random.normal()
      for day in 0..<days {
        let isBusy = phone == 0 && (day == 0 || isBusyDaily)
        let count = random.poisson(isBusy ? busyLaunches ?? launches : launches)
        add(count, level, to: &byDay[day], &random)
      }
    }
    var histogram = Histogram(scheme: .logarithmic)
    for day in byDay { histogram.merge(day) }
    return (histogram, PhoneUse(byDay))
  }

  private func add(_ count: Int, _ level: Double, to histogram: inout Histogram, _ random: inout FleetRandom) {
    var payload = ClusterSum()
    for _ in 0..<count {
      let value = Self.median * exp(Self.deviation * (level + (1 - likeness).squareRoot() * random.normal()))
      if isBucketed {
        let low = (value / 10).rounded(.down) * 10
        histogram.insertSpan(low: low, high: low + 10, count: 1, stepsPerUnit: 1_000, into: &payload)
      } else {
        histogram.insert(value, stepsPerUnit: 1_000, into: &payload)
      }
    }
    histogram.close(payload)
  }
}
