import Core
import Statistics
import Storage

/// The state of the payload that is being digested: its cell, time zone, totals and open clusters.
struct CurrentPayload {
  let cell: Int
  let received: Timestamp
  let clock: TimeZoneOffsets
  /// The first run of the release on the payload's installation; nil if it is unknown.
  var firstRun: RecordedFirstRun?
  var totals = PayloadRates()
  /// The index of the `CellBin` for the payload's calendar day; nil if the payload only has instants.
  private(set) var dayCellBin: Int?
  /// The day of the payload's first measurement; nil without measurements.
  private(set) var anyDay: TimeBin?
  /// The newest day on which the payload has data; nil if it has none.
  private(set) var newestDay: CalendarDay?
  /// The clusters of measurements with instants: one per metric and day, whatever the number of bins.
  private(set) var openClusters: [OpenCluster] = []
  /// The positions in `openClusters`, once there are more than are searched.
  private var clusterIndices: [ClusterName: Int] = [:]

  private struct ClusterName: Hashable {
    let series: SeriesIdentity
    let day: CalendarDay
  }

  struct OpenCluster {
    let slot: SeriesSlot
    let identity: SeriesIdentity
    let day: CalendarDay
    let metric: MetricReference
    let label: String
    var sum: ClusterSum
  }

  init(cell: Int, received: Timestamp, clock: TimeZoneOffsets) {
    self.cell = cell
    self.received = received
    self.clock = clock
  }

  /// Converts an instant to minutes since 1970 in the app's time zone.
  func minute(of instant: Timestamp) -> Int {
    let local = (Double(instant.milliseconds) / 1000 + Double(clock.utcOffsetSeconds(at: instant))) / 60
    // Years are limited to four digits, because a client's clock may be far off.
    return Int(min(max(local.rounded(.down), 0), 4_223_376_000))
  }

  /// The minute of a hang that a client reported while its session was running; nil for other diagnostics.
  func hangMinute(of diagnostic: RecordedDiagnostic, from source: Source) -> Int? {
    // Sentry's client also forwards MetricKit's hangs, a day later and without their instant.
    guard diagnostic.kind == .hang, source == .sentry, diagnostic.exception.name != "MXHangDiagnostic",
      case .instant(let instant) = diagnostic.time
    else { return nil }
    return minute(of: instant)
  }

  func bin(of time: MeasurementTime) -> TimeBin {
    switch time {
    case .day(let day): TimeBin(day)
    case .instant(let instant):
      TimeBin(containing: minute(of: instant), age: minute(of: received) - minute(of: instant))
    }
  }

  /// The age of the installation's update on a day; nil if it is unknown.
  func age(on day: CalendarDay) -> UpdateAge? {
    firstRun.map { run in
      // A run may last beyond midnight.
      run.isCurrent && day <= run.day + 1 ? .firstSession : UpdateAge(of: day, since: run.day)
    }
  }

  mutating func note(cellBin: Int, bin: TimeBin) {
    if bin.resolution == .day { dayCellBin = cellBin }
    anyDay = anyDay ?? TimeBin(bin.day)
    note(day: bin.day)
  }

  mutating func note(day: CalendarDay) {
    if let newestDay, newestDay >= day { return }
    newestDay = day
  }

  /// Converts a measurement's time to an instant: the start of the day in UTC if only the day is known.
  func instant(of time: MeasurementTime) -> Timestamp {
    switch time {
    case .day(let day): day.startUTC
    case .instant(let instant): instant
    }
  }

  /// The most clusters that are searched one by one. Most OTLP requests have no more.
  private static let mostSearched = 24

  mutating func merge(
    _ cluster: ClusterSum, slot: SeriesSlot, _ names: borrowing MeasurementHeads.Names, labelled: Bool,
    day: CalendarDay
  ) {
    let identity = names.identity(labelled: labelled)
    if let index = index(of: identity, day) { return openClusters[index].sum.merge(cluster) }
    let (metric, label) = names.series(labelled: labelled)
    // An OTLP request usually has several, for which the list would otherwise grow four times.
    if openClusters.isEmpty { openClusters.reserveCapacity(8) }
    openClusters.append(
      OpenCluster(slot: slot, identity: identity, day: day, metric: metric, label: label, sum: cluster))
    guard openClusters.count >= Self.mostSearched else { return }
    for index in clusterIndices.count..<openClusters.count {
      let open = openClusters[index]
      clusterIndices[ClusterName(series: open.identity, day: open.day)] = index
    }
  }

  private func index(of series: SeriesIdentity, _ day: CalendarDay) -> Int? {
    if openClusters.count < Self.mostSearched {
      return openClusters.firstIndex { $0.identity == series && $0.day == day }
    }
    return clusterIndices[ClusterName(series: series, day: day)]
  }
}
