import Core

/// Parses the timestamps of documents.
enum TimestampParsing {
  /// 9999-12-31T23:59:59Z, in seconds since 1970.
  private static let lastSecond = 253_402_300_799.0

  /// Parses seconds or milliseconds since 1970, depending on magnitude; nil before 1970 or after the year 9999.
  static func timestamp(_ number: Double) -> Timestamp? {
    // 10¹¹ is in the year 5138 as seconds, and in 1973 as milliseconds.
    let seconds = number < 1e11 ? number : number / 1000
    guard seconds >= 0, seconds <= lastSecond else { return nil }
    return Timestamp(milliseconds: Int64((seconds * 1000).rounded()))
  }

  /// Parses the numbers of clients that re-encode MetricKit: seconds, milliseconds, microseconds or nanoseconds since
  /// 1970, or Swift's seconds since 2001. Seconds before 2017 count from 2001, because MetricKit appeared in 2019.
  static func timestamp(metricKit number: Double) -> Timestamp? {
    if number < 1.5e9 { return number > 0 ? timestamp(number + 978_307_200) : nil }
    if number < 1e14 { return timestamp(number) }
    return timestamp(number / (number < 1e17 ? 1e6 : 1e9))
  }

  /// The date in the first ten bytes, such as `2026-11-20`; nil if they are not a date.
  static func date(_ bytes: UnsafeBufferPointer<UInt8>) -> CalendarDay? {
    guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10])
    else { return nil }
    return CalendarDay(year: year, month: month, day: day)
  }

  /// The hour of a time such as `23:59:00`; nil if the bytes are not a time.
  static func hour(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    let first = bytes.startIndex
    guard bytes.count == 8, bytes[first + 2] == UInt8(ascii: ":"), bytes[first + 5] == UInt8(ascii: ":"),
      let hour = number(bytes[first..<first + 2]), let minute = number(bytes[first + 3..<first + 5]),
      let second = number(bytes[first + 6..<first + 8]), hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour
  }

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    var value = 0
    for digit in digits {
      guard (48...57).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 48)
    }
    return value
  }
}
