import Core
import Statistics
import Storage

/// The events and the use of one vital of one release, by device class and day.
struct RolloutCounts {
  /// The counts of one device class on one day.
  struct Day {
    let day: CalendarDay
    let count: EventCount
    /// The part of the day's use that is in `count`, because the rest has not arrived.
    let arrived: Double
    fileprivate let phones: DeviceClusterSize?
  }

  /// The days of each device class, in order, so that sums of doubles do not depend on chance.
  private var classesByName: [String: [Day]] = [:]
  private let likeness: Likeness

  /// How events of one phone or user are alike.
  enum Likeness {
    /// The variance of events relative to that of independent ones.
    case effect(Double)
    /// The correlation of values on one phone, which tells more the more values a phone has.
    case correlation(Double)

    /// The effect if it does not depend on the counts; otherwise 1.
    var constant: Double { if case .effect(let value) = self { max(1, value) } else { 1 } }

    /// The design effect of values on these phones.
    func effect(_ phones: DeviceClusterSize, of use: Double) -> Double {
      switch self {
      case .effect(let value): value
      case .correlation(let correlation):
        use > 0 ? DesignEffect(correlation: correlation, phones: phones, of: use).value : 1
      }
    }
  }

  /// The device classes in order.
  var classes: [String] { classesByName.keys.sorted() }
  var days: [CalendarDay] { Set(classesByName.values.flatMap { $0.map(\.day) }).sorted() }
  /// The number of events, and the use, without a design effect.
  var total: EventCount { Self.sum(classes.flatMap { days(of: $0) }) }

  /// The days of a device class, in order.
  func days(of deviceClass: String) -> [Day] { classesByName[deviceClass] ?? [] }

  /// The use of each day; for a young day, as much as it will be when everything has arrived. Days of which little has
  /// arrived are left out.
  var uses: [CalendarDay: Double] {
    var uses: [CalendarDay: Double] = [:]
    for name in classes {
      for own in days(of: name) where own.arrived >= Self.fewestArrived {
        uses[own.day, default: 0] += own.count.use / own.arrived
      }
    }
    return uses
  }

  private static let fewestArrived = 0.3

  /// The use of a device class on a day; of a young day, as much as it will be when everything has arrived.
  func use(of deviceClass: String, on day: CalendarDay) -> Double {
    days(of: deviceClass).first { $0.day == day }.map { $0.count.use / $0.arrived } ?? 0
  }

  /// The counts of days of a device class, divided by their design effect. `weights`: factors of the use of days.
  func sum(
    _ deviceClass: String, weights: [CalendarDay: Double] = [:], where isWanted: (CalendarDay) -> Bool = { _ in true }
  ) -> EventCount {
    let days = days(of: deviceClass).filter { isWanted($0.day) }
    let raw = Self.sum(days)
    let use = days.reduce(0) { $0 + $1.count.use * (weights[$1.day] ?? 1) }
    return EventCount(events: raw.events, use: use, effect: effect(on: days, use: raw.use))
  }

  /// The design effect of all days of a device class.
  func effect(of deviceClass: String) -> Double {
    effect(on: days(of: deviceClass), use: Self.sum(days(of: deviceClass)).use)
  }

  private static func sum(_ days: [Day]) -> EventCount {
    var (events, use) = (0.0, 0.0)
    for day in days { (events, use) = (events + day.count.events, use + day.count.use) }
    return EventCount(events: events, use: use)
  }

  private func effect(on days: [Day], use: Double) -> Double {
    if case .effect(let value) = likeness { return value }
    var all = DeviceClusterSize()
    for day in days { if let phones = day.phones { all.merge(phones) } }
    return likeness.effect(all, of: use)
  }
}

extension RolloutCounts {
  /// The crashes and sessions of installations by the age of the update.
  ///
  /// - Parameter reported: the part of a day's sessions whose crashes have been reported.
  init?(_ rows: [SessionsByAge], effect: Double, reported: (CalendarDay) -> Double) {
    likeness = .effect(effect)
    for (name, own) in Dictionary(grouping: rows, by: \.deviceClass) {
      classesByName[name] = Dictionary(grouping: own, by: \.day).sorted { $0.key < $1.key }.map { day, rows in
        let (crashed, sessions) = rows.reduce((0, 0)) { ($0.0 + $1.crashed, $0.1 + $1.sessions) }
        let part = reported(day)
        let count = EventCount(events: Double(crashed), use: max(Double(crashed), Double(sessions) * part))
        return Day(day: day, count: count, arrived: part, phones: nil)
      }
    }
    if classesByName.isEmpty { return nil }
  }

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
    let bad = DelayedEvent(badEventOf: name)
    for (deviceClass, series) in classes {
      guard let own = series.first(where: { $0.metric.name == main }) else { continue }
      let threshold = threshold(deviceClass)
      var counted: [Day] = []
      own.forEachDay { day, aggregate in
        if let days, day < days.from || days.to < day { return }
        guard var count = Self.count(name, aggregate, threshold: threshold) else { return }
        let isSession = bad != .payload
        let arrived = own.arrived?.share(of: isSession ? .session : .payload, on: day)?.share ?? 1
        let reported = isSession ? own.arrived?.reported(bad, on: day).share ?? 1 : 1
        // Sessions whose crashes have not been reported yet say nothing about crashes.
        count.use = max(count.events, count.use * reported)
        var phones: DeviceClusterSize?
        if case .distribution(let histogram) = aggregate { phones = DeviceClusterSize([histogram]) }
        counted.append(Day(day: day, count: count, arrived: arrived * reported, phones: phones))
      }
      if !counted.isEmpty { classesByName[deviceClass] = counted }
    }
    if classesByName.isEmpty { return nil }
  }

  /// The bad events and the use in a row of a metric; nil for a metric that cannot be counted.
  static func count(_ name: String, _ aggregate: Aggregate, threshold: Double?) -> EventCount? {
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
