public import Storage
public import Telemetry

/// Whether payloads still come, measured by how they used to.
public struct ArrivalRhythm: Sendable, Equatable {
  /// When the last one came that says something about these days; nil when none ever did.
  public var last: Timestamp?
  /// Minutes from one payload to the next, on average.
  public var interval: Double?
  /// The longest silence that is usual, in minutes; nil while too little is known to tell.
  public var usualSilence: Int?

  public init(last: Timestamp? = nil, interval: Double? = nil, usualSilence: Int? = nil) {
    self.last = last
    self.interval = interval
    self.usualSilence = usualSilence
  }

  /// Minutes since the last one.
  public func silence(at now: Timestamp) -> Int? { last.map { Int((now.milliseconds - $0.milliseconds) / 60_000) } }

  /// So much has to be known before silence means anything.
  static let fewestPayloads = 20
  static let fewestDays = 7
}

extension HealthReader {
  /// How payloads came in the 28 days before the last one. Simulated ones keep nothing fresh, nor do payloads about days
  /// long past.
  func freshness(_ scope: Scope) throws -> ArrivalRhythm {
    let newest = scope.inventory.environments.filter { $0.key != "simulated" }.values.max()
    guard let newest, let received = scope.inventory.lastReceived else { return ArrivalRhythm() }
    // A payload about a day may come two days after it.
    let last = min(received, (newest + 3).startUTC)
    let offset = Int((scope.localNow.milliseconds - scope.now.milliseconds) / 1000)
    let end = last.day(utcOffsetSeconds: offset)
    let tallies = try store.tallies(of: scope.app, in: Window(days: 28, endingOn: end))
    return ArrivalRhythm(last: last, tallies: tallies.filter { $0.kind == .accepted }, end: end)
  }
}

extension ArrivalRhythm {
  /// How payloads used to come. `end`: the day of the last one.
  public init(last: Timestamp, tallies: [TallyDelta], end: CalendarDay) {
    self.init(last: last)
    let days = Set(tallies.map(\.day.number)).sorted()
    let payloads = tallies.reduce(0) { $0.addingSaturated($1.count) }
    guard let first = days.first, end.number - first + 1 >= Self.fewestDays, payloads >= Self.fewestPayloads else {
      return
    }
    let span = Double(end.number - first + 1) * 1440
    let interval = span / Double(payloads)
    self.interval = interval
    let runs = zip(days, days.dropFirst()).map { $1 - $0 - 1 }.filter { $0 > 0 }.sorted(by: >)
    // Weekends come back; an outage is not what is usual. In the first two weeks there was one weekend.
    let isYoung = end.number - first + 1 < 14
    let silentDays = (isYoung ? runs.first : runs.dropFirst().first) ?? 0
    // Of payloads that come at random, one gap in 22,000 is ten times as long as the average one.
    usualSilence = max((silentDays + 1) * 1440, Int(10 * interval))
  }
}
