/// Formats numbers of a drawing with at most two decimals, finer than a screen shows.
public enum Coordinate {
  /// Appends `value`, rounded to hundredths. NaN is written as 0; values beyond a billion are capped.
  public static func append(_ value: Double, to bytes: inout [UInt8]) {
    let limit = 1e9
    let finite = value.isNaN ? 0 : min(limit, max(-limit, value))
    var hundredths = Int((finite * 100).rounded())
    if hundredths < 0 {
      bytes.append(UInt8(ascii: "-"))
      hundredths = -hundredths
    }
    append(digits: hundredths / 100, to: &bytes)
    let fraction = hundredths % 100
    guard fraction > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    bytes.append(UInt8(ascii: "0") + UInt8(fraction / 10))
    if fraction % 10 > 0 { bytes.append(UInt8(ascii: "0") + UInt8(fraction % 10)) }
  }

  private static func append(digits value: Int, to bytes: inout [UInt8]) {
    if value >= 10 { append(digits: value / 10, to: &bytes) }
    bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
  }
}
