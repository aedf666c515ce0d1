import Core
import Statistics
import Storage

/// The events and the use of one vital of one release by device class, day and age of the installation's update.
struct AgedCounts {
  private(set) var rows: [Row] = []
  private let likeness: RolloutCounts.Likeness

  /// The counts of one device class on one day at one age.
  struct Row {
    let deviceClass: String
    let day: CalendarDay
    let age: UpdateAge
    let count: EventCount
    fileprivate let phones: DeviceClusterSize?
  }

  /// The crashes of sessions.
  ///
  /// - Parameter reported: the part of a day's sessions whose crashes have been reported.
  init(_ sessions: [SessionsByAge], _ likeness: RolloutCounts.Likeness, reported: (CalendarDay) -> Double) {
    self.likeness = likeness
    let parts = Dictionary(
      Set(sessions.map(\.day)).map { ($0, reported($0)) }, uniquingKeysWith: { one, _ in one })
    rows = sessions.map { row in
      let count = EventCount(events: Double(row.crashed), use: Double(row.sessions) * (parts[row.day] ?? 1))
      return Row(deviceClass: row.deviceClass, day: row.day, age: row.age, count: count, phones: nil)
    }
  }

  /// The bad events of a metric.
  ///
  /// - Parameter threshold: for a percentile, the value above which values of a device class count as bad.
  init(
    _ name: String, _ measurements: [MeasurementsByAge], _ likeness: RolloutCounts.Likeness,
    threshold: (String) -> Double?
  ) {
    self.likeness = likeness
    rows = measurements.compactMap { row in
      guard let count = RolloutCounts.count(name, row.aggregate, threshold: threshold(row.deviceClass)) else {
        return nil
      }
      var phones: DeviceClusterSize?
      if case .distribution(let histogram) = row.aggregate { phones = DeviceClusterSize([histogram]) }
      return Row(deviceClass: row.deviceClass, day: row.day, age: row.age, count: count, phones: phones)
    }
  }

  mutating func removeFirstSessions() { rows.removeAll { $0.age == .firstSession } }

  /// The use of all rows.
  var use: Double { Self.use(rows) }

  static func use(_ rows: some Sequence<Row>) -> Double { rows.reduce(0) { $0 + $1.count.use } }

  /// The sum of rows, divided by their design effect. `weights`: factors of the use of days.
  func sum(_ rows: some Sequence<Row>, weights: [CalendarDay: Double] = [:]) -> EventCount {
    var (events, use, weighted) = (0.0, 0.0, 0.0)
    var phones = DeviceClusterSize()
    for row in rows {
      events += row.count.events
      use += row.count.use
      weighted += row.count.use * (weights[row.day] ?? 1)
      if let own = row.phones { phones.merge(own) }
    }
    return EventCount(events: events, use: max(events, weighted), effect: likeness.effect(phones, of: use))
  }
}
