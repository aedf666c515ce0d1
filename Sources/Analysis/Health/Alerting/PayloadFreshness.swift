import Core
import Storage

/// The usual pattern of payload arrivals, from which an unusual silence is recognised.
struct PayloadFreshness: Sendable, Equatable {
  /// When the last payload about recent days arrived; nil if none ever did.
  var last: Timestamp?
  /// The average time between payloads, in minutes.
  var interval: Double?
  /// The longest usual silence, in minutes; nil while too few payloads are known.
  var usualSilence: Int?

  /// Minutes since the last payload.
  func silence(at now: Timestamp) -> Int? { last.map { Int((now.milliseconds - $0.milliseconds) / 60_000) } }

  /// The number of payloads that must be known before a silence is judged.
  static let fewestPayloads = 20
  static let fewestDays = 7
}

extension HealthReader {
  /// The pattern of the 28 days before the last payload. Simulated payloads and payloads about days long past are
  /// ignored.
  func freshness(_ scope: Scope) throws -> PayloadFreshness {
    let newest = scope.inventory.environments.filter { $0.key != "simulated" }.values.max()
    guard let newest, let received = scope.inventory.lastReceived else { return PayloadFreshness() }
    // A payload about a day may arrive up to two days after it.
    let last = min(received, (newest + 3).startUTC, scope.now)
    let offset = Int((scope.localNow.milliseconds - scope.now.milliseconds) / 1000)
    let end = last.day(utcOffsetSeconds: offset)
    let tallies = try store.tallies(of: scope.app, in: Window(days: 28, endingOn: end))
    return PayloadFreshness(last: last, tallies: tallies.filter { $0.kind == .accepted }, end: end)
  }
}

extension PayloadFreshness {
  /// Determines freshness from the time of the last payload. `tallies`: counts of payloads by day; `end`: the day of
  /// the last payload.
  init(last: Timestamp, tallies: [IntakeTally], end: CalendarDay) {
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
    // Weekends recur, outages do not, so only silent days that recur are usual. The first two weeks may have only one
    // weekend.
    let isYoung = end.number - first + 1 < 14
    let silentDays = (isYoung ? runs.first : runs.dropFirst().first) ?? 0
    // If payloads arrive at random, one gap in 22,000 is ten times as long as the average.
    usualSilence = max((silentDays + 1) * 1440, Int(10 * interval))
  }
}
