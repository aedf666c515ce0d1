internal import Core

/// The device's calendar day that a payload covers.
///
/// The payload's window is that day, from midnight to midnight in the device's time zone. Since iOS 15.2 it is written
/// without a zone, and the day is the date of the beginning. Older versions write it in UTC. In the inhabited zones,
/// UTC−10 to UTC+13, local midnight is between 11:00 UTC of the day before and 10:00 UTC of the day. The UTC date 13
/// hours after the beginning is therefore the day.
enum PayloadDay {
  private static let hour: Int64 = 3_600_000

  /// The day of a window; nil if the payload has neither end.
  static func day(begin: JSONValue?, end: JSONValue?) throws -> CalendarDay? {
    if let begin { return try day(of: begin, hoursIntoDay: 13) }
    // The window is a day long, so eleven hours before its end is thirteen hours after its beginning.
    return try end.map { try day(of: $0, hoursIntoDay: -11) }
  }

  /// The day of a window that begins at an instant.
  static func day(beginning begin: Timestamp) -> CalendarDay { shifted(begin, 13) }

  private static func day(of value: JSONValue, hoursIntoDay: Int64) throws -> CalendarDay {
    switch value.kind {
    case .string:
      guard let day = try day(text: value.text(), hoursIntoDay) else {
        let text = try JSONPath.quoted(value.text().string)
        throw value.failure("expected a time such as \"2026-11-19 00:00:00\", found \(text)")
      }
      return day
    case .integer, .double:
      guard let time = try TimestampParsing.timestamp(metricKit: value.number()) else {
        throw value.failure("expected a time in seconds since 1970")
      }
      return shifted(time, hoursIntoDay)
    default: throw value.mismatch("a time")
    }
  }

  private static func day(text: BorrowedJSONString, _ hoursIntoDay: Int64) -> CalendarDay? {
    guard text.count <= 40 else { return nil }
    let bytes = text.bytes
    guard let date = TimestampParsing.date(bytes) else { return nil }
    if bytes.count == 10 { return date }
    guard bytes.count >= 19, let hour = TimestampParsing.hour(bytes[11..<19]) else { return nil }
    if bytes.count == 19 || isFraction(bytes[19...]) { return date }
    if bytes[19...].elementsEqual(" +0000".utf8) {
      let shifted = Int64(hour) + hoursIntoDay
      return shifted >= 24 ? date + 1 : shifted < 0 ? date - 1 : date
    }
    guard let time = Timestamp(iso: text.bytes) else { return nil }
    return isUTC(bytes) ? shifted(time, hoursIntoDay) : date
  }

  /// Whether the rest of a timestamp is a fraction of a second without a time zone.
  private static func isFraction(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    bytes.count > 1 && bytes.first == UInt8(ascii: ".") && bytes.dropFirst().allSatisfy { $0 &- 48 < 10 }
  }

  private static func shifted(_ time: Timestamp, _ hours: Int64) -> CalendarDay {
    Timestamp(milliseconds: time.milliseconds + hours * hour).day()
  }

  /// Whether the zone is UTC: `Z`, `+0000`, `-00:00`. Any other zone is the device's own, and the date is already the
  /// day.
  private static func isUTC(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if let last = bytes.last, last | 0x20 == UInt8(ascii: "z") { return true }
    return bytes.suffix(5).allSatisfy { !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
  }
}

/// The time of a diagnostic, as precisely as its payload states it.
///
/// Since iOS 15 a payload is sent at once and its window is an instant; iOS 14 wrote the day's window. A time with a
/// zone is an instant. Since iOS 15.2 the device's local time is written without a zone, so only the calendar day is
/// known.
enum DiagnosticTime {
  /// The shortest window that counts as a day, in milliseconds: 20 hours.
  private static let shortestDay: Int64 = 20 * 3_600_000
  /// The earliest plausible time: the beginning of 2017. MetricKit has had diagnostics since 2020.
  static let earliest = Timestamp(milliseconds: 1_483_228_800_000)

  /// The time of a diagnostic; nil if the payload has neither end of a window or the device's clock was never set.
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

  /// Parses an instant; nil for a local time and for anything that is not a time.
  static func instant(_ value: JSONValue) throws -> Timestamp? {
    switch value.kind {
    case .string:
      let text = try value.text()
      return text.count <= 64 ? Timestamp(iso: text.bytes) : nil
    case .integer, .double:
      let number = try value.number()
      // A clock that was never set writes 0, which means 2001 in Swift's dates.
      return number >= 0 && number < 1 ? Timestamp(milliseconds: 0) : TimestampParsing.timestamp(metricKit: number)
    default: throw value.mismatch("a time")
    }
  }
}

/// The device's calendar day that a `MetricReport` covers.
enum ReportDay {
  /// The day; nil if the report has no time range or the device's clock was never set.
  static func day(_ range: JSONObject?, _ context: DecodingContext) throws -> CalendarDay? {
    guard let range, let first = range["begin"] ?? range["end"] else { return nil }
    let last = range["end"] ?? first
    if let from = try DiagnosticTime.instant(first), let to = try DiagnosticTime.instant(last) {
      if to < DiagnosticTime.earliest { return nil }
      // For part of a day, the day of its middle in the app's time zone.
      let length = to.milliseconds - from.milliseconds
      if range["begin"] != nil, length >= 0, length < 20 * 3_600_000 {
        let middle = Timestamp(milliseconds: from.milliseconds + length / 2)
        return context.clamp(context.clock.day(of: middle))
      }
    }
    return try PayloadDay.day(begin: range["begin"], end: range["end"]).map(context.clamp)
  }
}
