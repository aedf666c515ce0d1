internal import Core

/// A measurement string: a number and a unit in the device's language, such as `1,530 ms` or `79 041 кБ`.
struct ParsedMeasurement: Equatable {
  /// The number in the format's unit. It may be negative.
  var value: Double
  /// Whether the unit was missing or unknown, so that Apple's usual unit was assumed.
  var isAssumed: Bool
}

extension ParsedMeasurement {
  /// Parses a measurement; nil if the text has no number.
  init?(_ text: BorrowedJSONString, _ format: MeasurementFormat) {
    self.init(utf8: text.bytes, format)
  }

  /// Parses a measurement in valid UTF-8; nil if it has no number.
  init?(utf8 bytes: UnsafeBufferPointer<UInt8>, _ format: MeasurementFormat) {
    if let plain = PlainMeasurement(bytes), let scale = UnitWords.scale(of: plain.unit, format.dimension) {
      self.init(plain.number, scale: scale, format, isAssumed: false)
    } else if let localised = LocalisedMeasurement(bytes) {
      let scale = UnitWords.scale(of: localised.unit, format.dimension)
      self.init(localised.number, scale: scale ?? format.assumed, format, isAssumed: scale == nil)
    } else {
      return nil
    }
  }

  /// Reads a bare JSON number in place of a measurement string. Its unit is assumed, except for plain counts.
  init(bare number: Double, _ format: MeasurementFormat) {
    self.init(number, scale: format.assumed, format, isAssumed: format.dimension != .count)
  }

  private init(_ number: Double, scale: Double, _ format: MeasurementFormat, isAssumed: Bool) {
    // One scale is a multiple of the other, so only one operation rounds. 1530 ms become the double nearest to 1.53 s.
    let converted =
      scale >= format.target ? number * (scale / format.target) : number / (format.target / scale)
    // Adding zero turns −0 into 0.
    value = converted + 0
    self.isAssumed = isAssumed
  }
}

/// A measurement in the style of nearly every device: ASCII digits, optionally with commas between groups or with a
/// fraction after a point, then the unit.
struct PlainMeasurement {
  let number: Double
  let unit: UnsafeBufferPointer<UInt8>

  /// Parses a measurement of this plain style. Nil for any other style, for commas that may be decimal, and for numbers
  /// of more than fifteen digits, which would be rounded.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var value = 0
    var digits = 0
    var group = 0
    var commas = 0
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte &- 48 < 10 {
        value = value &* 10 &+ Int(byte &- 48)
        digits += 1
        group += 1
      } else if byte == UInt8(ascii: ","), group == 3 || group == 2 || (commas == 0 && group == 1), value > 0 {
        commas += 1
        group = 0
      } else {
        break
      }
      at += 1
    }
    guard digits > 0, digits <= 15, commas == 0 || group == 3 else { return nil }
    var scale = 1.0
    if at < bytes.count, bytes[at] == UInt8(ascii: "."), commas == 0 {
      guard let fraction = Self.fraction(bytes[(at + 1)...]), digits + fraction.digits <= 15 else { return nil }
      scale = fraction.scale
      value = value * Int(scale) + fraction.value
      at += 1 + fraction.digits
    }
    if at < bytes.count, bytes[at] == 0x20 { at += 1 }
    number = Double(value) / scale
    unit = UnsafeBufferPointer(rebasing: bytes[at...])
  }

  /// The fast path for most values: a whole number below 10¹², optionally with commas between thousands, then a space
  /// and the unit that Apple writes for the key. Nil for other texts.
  static func whole(_ bytes: UnsafeBufferPointer<UInt8>, _ format: MeasurementFormat) -> Double? {
    let end = bytes.count - format.plainUnit.utf8CodeUnitCount - 1
    guard end > 0, end <= 15, bytes[end] == 0x20 else { return nil }
    var value = 0
    for index in 0..<end {
      let digit = bytes[index] &- 48
      if digit < 10 {
        value = value &* 10 &+ Int(digit)
      } else if bytes[index] != UInt8(ascii: ",") || (end - index) & 3 != 0 || index == 0 {
        // A comma may be decimal if whole groups of three digits do not follow.
        return nil
      } else if bytes[0] == 48 {
        return nil
      }
    }
    guard isGrouped(bytes, end), isUnit(bytes, from: end + 1, format.plainUnit) else { return nil }
    let number = Double(value)
    return format.assumed == format.target ? number : number * format.assumed / format.target
  }

  /// Whether commas separate all thousands or none: "1234,567" is not a whole number.
  private static func isGrouped(_ bytes: UnsafeBufferPointer<UInt8>, _ end: Int) -> Bool {
    guard end > 4, (0..<end).contains(where: { bytes[$0] == UInt8(ascii: ",") }) else { return true }
    for index in 1..<end where (end - index) & 3 == 0 && bytes[index] != UInt8(ascii: ",") { return false }
    return true
  }

  private static func isUnit(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ unit: StaticString) -> Bool {
    for index in 0..<unit.utf8CodeUnitCount where bytes[start + index] != unit.utf8Start[index] { return false }
    return true
  }

  /// Parses the digits after a decimal point. Nil without digits, or with three, because the point may then separate
  /// thousands.
  private static func fraction(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> (value: Int, digits: Int, scale: Double)?
  {
    var value = 0
    var digits = 0
    var scale = 1.0
    for byte in bytes {
      guard byte &- 48 < 10, digits < 15 else { break }
      value = value * 10 + Int(byte - 48)
      scale *= 10
      digits += 1
    }
    return digits == 0 || digits == 3 ? nil : (value, digits, scale)
  }
}

/// The dimension of a key's measurement strings, and the unit to which they are converted.
struct MeasurementFormat {
  let dimension: UnitDimension
  /// The size of the unit that Apple writes without localisation, in the dimension's base unit. It also applies to
  /// unknown units, so that their values are never scaled.
  let assumed: Double
  /// The size of the unit to convert to, in the dimension's base unit.
  let target: Double

  /// The text that Apple writes for `assumed`.
  let plainUnit: StaticString

  static let milliseconds = Self(writtenFor: .milliseconds)
  static let bytes = Self(writtenFor: .bytes)
  static let hitchRatio = Self(writtenFor: .millisecondsPerSecond)
  /// CPU time, written in milliseconds and stored in seconds.
  static let millisecondsAsSeconds = Self(dimension: .duration, assumed: 1e3, target: 1e6, "ms")
  static let instructions = Self(dimension: .instructions, assumed: 1e3, target: 1, "kiloinstructions")

  private init(dimension: UnitDimension, assumed: Double, target: Double, _ plainUnit: StaticString) {
    self.plainUnit = plainUnit
    self.dimension = dimension
    self.assumed = assumed
    self.target = target
  }

  /// The format in which MetricKit writes a metric that is stored in `unit`. Values are converted to that unit.
  /// Unlisted units are those of plain counts.
  init(writtenFor unit: MetricUnit) {
    switch unit {
    case .milliseconds: self.init(dimension: .duration, assumed: 1e3, target: 1e3, "ms")
    case .microseconds: self.init(dimension: .duration, assumed: 1, target: 1, "µs")
    case .seconds: self.init(dimension: .duration, assumed: 1e6, target: 1e6, "sec")
    case .bytes: self.init(dimension: .information, assumed: 1e3, target: 1, "kB")
    case .millisecondsPerSecond: self.init(dimension: .hitchRatio, assumed: 1, target: 1, "ms per s")
    case .bars: self.init(dimension: .bars, assumed: 1, target: 1, "bars")
    case .averagePixelLuminance: self.init(dimension: .luminance, assumed: 1, target: 1, "apl")
    default: self.init(dimension: .count, assumed: 1, target: 1, "files")
    }
  }
}

/// A family of units. A unit is looked up only in the family of its key.
enum UnitDimension: Sendable {
  /// Durations; the base unit is the microsecond.
  case duration
  /// Amounts of data; the base unit is the byte.
  case information
  /// Hitch time ratios; the base unit is milliseconds per second.
  case hitchRatio
  case bars
  case luminance
  /// CPU instructions; the base unit is one instruction.
  case instructions
  case count
}
