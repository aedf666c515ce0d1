/// An instant: milliseconds since 1970-01-01T00:00:00Z, leap seconds ignored as POSIX does.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  /// The instant `milliseconds` after 1970-01-01T00:00:00Z.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The calendar day of this instant in a place whose clocks are `utcOffsetSeconds` ahead of UTC.
  public func day(utcOffsetSeconds: Int = 0) -> CalendarDay {
    // A record may hold any instant: one at either end of 64 bits must not end the process.
    let local = Double(milliseconds) + Double(utcOffsetSeconds) * 1000
    return CalendarDay(number: Int((local / 86_400_000).rounded(.down)))
  }

  /// ISO 8601 in UTC to the second: `2026-11-20T10:00:00Z`.
  public var iso: String {
    let day = self.day()
    let second = Int(milliseconds.saturatingSubtract(day.startUTC.milliseconds) / 1000)
    let pad = CalendarDay.pad
    return "\(day.iso)T\(pad(second / 3600, 2)):\(pad(second / 60 % 60, 2)):\(pad(second % 60, 2))Z"
  }

  /// Parses RFC 3339 with a fraction and any zone, `2026-11-20T10:00:00.123+01:00`; nil for anything else. A space is
  /// accepted instead of the `T`.
  public init?(iso text: String) {
    var text = text
    guard let time = text.withUTF8({ Self(iso: $0) }) else { return nil }
    self = time
  }

  /// Parses RFC 3339, as `init(iso: String)` does.
  public init?(iso bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count >= 20, let day = CalendarDay(iso: bytes[0..<10]),
      bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: "t") || bytes[10] == UInt8(ascii: " "),
      let hour = Self.number(bytes[11..<13]), bytes[13] == UInt8(ascii: ":"),
      let minute = Self.number(bytes[14..<16]), bytes[16] == UInt8(ascii: ":"),
      let second = Self.number(bytes[17..<19]), hour < 24, minute < 60, second <= 60
    else { return nil }
    var rest = bytes[19...]
    var milliseconds = 0
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix { (48...57).contains($0) }
      guard !fraction.isEmpty else { return nil }
      milliseconds = (Self.number(fraction.prefix(3)) ?? 0) * [0, 100, 10, 1][min(3, fraction.count)]
      rest = rest.dropFirst(1 + fraction.count)
    }
    guard let offset = Self.zoneOffset(rest) else { return nil }
    let local = Int64(hour * 3600 + minute * 60 + second - offset) * 1000 + Int64(milliseconds)
    self.init(milliseconds: day.startUTC.milliseconds + local)
  }

  public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

  private static func zoneOffset(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    var bytes = bytes
    if bytes.first == UInt8(ascii: " ") { bytes = bytes.dropFirst() }
    if bytes.count == 1, bytes.first == UInt8(ascii: "Z") || bytes.first == UInt8(ascii: "z") { return 0 }
    guard let sign = bytes.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
    let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard digits.count == 4, let hours = number(digits[0..<2]), let minutes = number(digits[2..<4]) else { return nil }
    return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  static func number(_ digits: some Collection<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (48...57).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 48)
    }
    return value
  }
}
