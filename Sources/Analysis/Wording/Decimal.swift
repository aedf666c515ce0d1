/// Formats numbers for display: `1,390`, `1.39`. It uses no locale, so that a page is the same for all readers.
package enum Decimal {
  /// `value` with exactly `digits` decimals, rounded half away from zero; beyond 10¹⁵ in Swift's own format.
  package static func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite else { return "–" }
    let scale = powerOfTen(digits)
    let scaled = (value.magnitude * scale).rounded()
    guard scaled < 1e15 else { return "\(value)" }
    let whole = Int(scaled) / Int(scale)
    let fraction = String(Int(scaled) % Int(scale))
    let sign = value < 0 && scaled > 0 ? "−" : ""
    guard digits > 0 else { return sign + grouped(whole) }
    return sign + grouped(whole) + "." + String(repeating: "0", count: digits - fraction.utf8.count) + fraction
  }

  /// `value` with three significant digits: `139`, `13.9`, `1.39`, `0.14`.
  package static func significant(_ value: Double) -> String { fixed(value, decimals(value)) }

  /// The number of decimals that gives three significant digits after rounding: one for 9.996, which becomes 10.0.
  package static func decimals(_ value: Double) -> Int {
    let magnitude = value.magnitude
    return magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : magnitude >= 0.0995 || magnitude == 0 ? 2 : 3
  }

  /// The number of decimals needed to write `value` exactly: 0 for 2, 2 for 16.67.
  package static func decimalsNeeded(_ value: Double, atMost limit: Int) -> Int {
    var scaled = value
    var digits = 0
    while digits < limit, (scaled - scaled.rounded()).magnitude > 1e-6 {
      scaled *= 10
      digits += 1
    }
    return digits
  }

  /// An integer with thousands separators: `12,480`.
  package static func grouped(_ value: Int) -> String {
    let digits = String(value.magnitude)
    var bytes: [UInt8] = []
    for (index, digit) in digits.utf8.enumerated() {
      if index > 0, (digits.utf8.count - index).isMultiple(of: 3) { bytes.append(UInt8(ascii: ",")) }
      bytes.append(digit)
    }
    return (value < 0 ? "−" : "") + String(decoding: bytes, as: UTF8.self)
  }

  /// The shortest text that equals `value` exactly, for tooltips: `1390.25`.
  static func exact(_ value: Double) -> String {
    guard value.magnitude < 1e15, value == value.rounded() else { return "\(value)" }
    return String(Int(value))
  }

  private static func powerOfTen(_ digits: Int) -> Double {
    (0..<max(0, min(9, digits))).reduce(1.0) { power, _ in power * 10 }
  }
}
