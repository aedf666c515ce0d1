internal import JSON
internal import Telemetry

/// The device's calendar day that a report stands for.
enum ReportDay {
  /// Nil when the report has no time, or a clock that was never set.
  static func day(_ range: JSONObject?, _ context: DecodingContext) throws -> CalendarDay? {
    guard let range, let first = range["begin"] ?? range["end"] else { return nil }
    let last = range["end"] ?? first
    if let from = try DiagnosticTime.instant(first), let to = try DiagnosticTime.instant(last) {
      if to < DiagnosticTime.earliest { return nil }
      // Part of a day: the day of its middle at the app's place.
      let length = to.milliseconds - from.milliseconds
      if range["begin"] != nil, length >= 0, length < 20 * 3_600_000 {
        let middle = Timestamp(milliseconds: from.milliseconds + length / 2)
        return context.clamp(context.clock.day(of: middle))
      }
    }
    return try PayloadDay.day(begin: range["begin"], end: range["end"]).map(context.clamp)
  }
}
