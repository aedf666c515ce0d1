import Core
import Statistics
import Storage

/// The events and the use of one vital of one release, by device class and day.
struct RolloutCounts {
  struct Key: Hashable {
    let deviceClass: String
    let day: CalendarDay
  }

  private var counts: [Key: EventCount] = [:]
  private var phones: [Key: PhoneUse] = [:]
  private let likeness: Likeness

  /// How events of one phone or user are alike.
  enum Likeness {
    /// The variance of events relative to that of independent ones.
    case effect(Double)
    /// The correlation of values on one phone, which tells more the more values a phone has.
    case correlation(Double)
  }

  var days: Set<CalendarDay> { Set(counts.keys.map(\.day)) }
  var classes: Set<String> { Set(counts.keys.map(\.deviceClass)) }
  /// The number of events, and the use, without a design effect.
  var total: EventCount { raw(counts.keys) }

  /// The counts of selected days of a device class, divided by their design effect.
  func sum(_ deviceClass: String, where isWanted: (CalendarDay) -> Bool) -> EventCount {
    let keys = counts.keys.filter { $0.deviceClass == deviceClass && isWanted($0.day) }
    let raw = raw(keys)
    return EventCount(events: raw.events, use: raw.use, effect: effect(on: keys, use: raw.use))
  }

  /// The use of all device classes on a day, without a design effect.
  func use(on day: CalendarDay) -> Double { raw(counts.keys.filter { $0.day == day }).use }

  /// The counts of selected days of a device class.
  func raw(_ deviceClass: String, where isWanted: (CalendarDay) -> Bool) -> EventCount {
    raw(counts.keys.filter { $0.deviceClass == deviceClass && isWanted($0.day) })
  }

  private func raw(_ keys: some Sequence<Key>) -> EventCount {
    var (events, use) = (0.0, 0.0)
    for key in keys {
      events += counts[key]?.events ?? 0
      use += counts[key]?.use ?? 0
    }
    return EventCount(events: events, use: use)
  }

  private func effect(on keys: [Key], use: Double) -> Double {
    switch likeness {
    case .effect(let value): return value
    case .correlation(let correlation):
      guard use > 0 else { return 1 }
      var all = PhoneUse()
      for key in keys { if let own = phones[key] { all.merge(own) } }
      return DesignEffect(correlation: correlation, phones: all, of: use).value
    }
  }

  /// The use of each day.
  var uses: [CalendarDay: Double] {
    Dictionary(grouping: counts, by: \.key.day).mapValues { $0.reduce(0) { $0 + $1.value.use } }
  }
}

extension RolloutCounts {
  /// The bad events of a vital, from the series of a release by device class; nil for a metric that cannot be counted.
  ///
  /// - Parameters:
  ///   - threshold: for a percentile, the value above which values of a device class count as bad.
  ///   - days: the days to count; nil for all.
  init?(
    _ name: String, _ classes: [String: [Series]], _ likeness: Likeness, threshold: (String) -> Double?,
    days: Window? = nil
  ) {
    self.likeness = likeness
    let main = Measure.storedNames(of: name).first ?? name
    for (deviceClass, series) in classes {
      guard let own = series.first(where: { $0.metric.name == main }) else { continue }
      let threshold = threshold(deviceClass)
      own.forEachDay { day, aggregate in
        if let days, day < days.from || days.to < day { return }
        let key = Key(deviceClass: deviceClass, day: day)
        guard let count = Self.count(name, aggregate, threshold: threshold) else { return }
        counts[key] = count
        if case .distribution(let histogram) = aggregate { phones[key] = PhoneUse([histogram]) }
      }
    }
    if counts.isEmpty { return nil }
  }

  private static func count(_ name: String, _ aggregate: Aggregate, threshold: Double?) -> EventCount? {
    switch aggregate {
    case .sessions(let tally) where name == "sessions.hang_free":
      EventCount(events: Double(tally.hangs.x), use: Double(tally.hangs.y))
    case .sessions(let tally): EventCount(events: Double(tally[.crashed]), use: Double(tally.total))
    case .pair(let pair): EventCount(events: Double(pair.x), use: Double(pair.y))
    case .distribution(let histogram):
      threshold.map { EventCount(events: histogram.count(above: $0), use: Double(histogram.count)) }
    case .counter, .users: nil
    }
  }
}
