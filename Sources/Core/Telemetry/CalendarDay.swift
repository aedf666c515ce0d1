/// A day of the Gregorian calendar, without a time zone: the number of days since 1970-01-01.
public struct CalendarDay: Hashable, Comparable, Sendable {
  /// The number of days since 1970-01-01; negative before.
  public var number: Int

  /// The day that lies `number` days after 1970-01-01.
  public init(number: Int) { self.number = number }

  /// The day named by year, month and day; nil when the calendar has no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    let candidate = CalendarDay(number: Self.daysFromCivil(year, month, day))
    guard candidate.civil == (year, month, day) else { return nil }
    self = candidate
  }

  /// Parses `2026-11-20`; nil for any other text.
  public init?(iso text: String) {
    var text = text
    guard let day = text.withUTF8({ Self(iso: $0[...]) }) else { return nil }
    self = day
  }

  init?(iso bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    let first = bytes.startIndex
    guard bytes.count == 10, bytes[first + 4] == UInt8(ascii: "-"), bytes[first + 7] == UInt8(ascii: "-"),
      let year = Timestamp.number(bytes.prefix(4)), let month = Timestamp.number(bytes[(first + 5)..<(first + 7)]),
      let day = Timestamp.number(bytes.suffix(2))
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// ISO 8601: `2026-11-20`.
  public var iso: String {
    let (year, month, day) = civil
    return "\(Self.pad(year, 4))-\(Self.pad(month, 2))-\(Self.pad(day, 2))"
  }

  /// The day's year, month and day in the Gregorian calendar.
  public var civil: (year: Int, month: Int, day: Int) {
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    // Years beyond four digits are invalid, but a damaged row may contain such a number.
    let shifted = min(max(number, -Self.farthest), Self.farthest) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// The first instant of the day in UTC.
  public var startUTC: Timestamp { Timestamp(milliseconds: Int64(number).saturatingMultiply(86_400_000)) }

  /// The largest distance from 1970, in days, that is converted exactly; it keeps the arithmetic from overflowing.
  private static let farthest = 1 << 40

  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  /// The day that lies `days` later.
  public static func + (day: Self, days: Int) -> Self { Self(number: day.number.saturatingAdd(days)) }

  /// The day that lies `days` earlier.
  public static func - (day: Self, days: Int) -> Self { Self(number: day.number.saturatingSubtract(days)) }

  private static func daysFromCivil(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func pad(_ value: Int, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}
