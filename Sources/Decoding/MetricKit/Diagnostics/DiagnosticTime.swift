internal import JSON
internal import Telemetry

/// When a diagnostic happened, as far as its payload tells.
///
/// Since iOS 15 a payload comes at once, and its window is a moment; iOS 14 wrote the day's. A moment with a zone is an
/// instant. iOS 15.2 and later write the device's local time without a zone: only the calendar day is known.
enum DiagnosticTime {
  /// A window shorter than this is no day's.
  private static let shortestDay: Int64 = 20 * 3_600_000
  /// MetricKit's diagnostics are from 2020. What lies before 2017 was never a time.
  static let earliest = Timestamp(milliseconds: 1_483_228_800_000)

  /// Nil when the payload names neither end, or when its clock was never set.
  static func time(begin: JSONValue?, end: JSONValue?, _ context: DecodingContext) throws -> MeasurementTime? {
    guard let last = end ?? begin else { return nil }
    let first = begin ?? last
    if let from = try instant(first), let to = try instant(last), !isDay(from, to) {
      return to < earliest ? nil : .instant(context.clamp(to))
    }
    let day = try PayloadDay.day(begin: begin, end: end)
    return day.flatMap { $0 < earliest.day() ? nil : .day(context.clamp($0)) }
  }

  private static func isDay(_ from: Timestamp, _ to: Timestamp) -> Bool {
    to.milliseconds &- from.milliseconds >= shortestDay
  }

  /// The instant a value names; nil for a local time, and for what is no time.
  static func instant(_ value: JSONValue) throws -> Timestamp? {
    switch value.kind {
    case .string:
      let text = try value.text()
      return text.count <= 64 ? Timestamp(iso: text.string) : nil
    case .integer, .double:
      let number = try value.number()
      // A clock that was never set writes 0: 2001 in Swift's own dates.
      return number >= 0 && number < 1 ? Timestamp(milliseconds: 0) : ClockTime.timestamp(metricKit: number)
    default: throw value.mismatch("a time")
    }
  }
}
