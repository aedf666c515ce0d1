internal import Core

/// A number with a unit, in any form that MetricKit uses: `"20 sec"`, `20`, `{"value": 20, "unit": "s"}` with the unit
/// as a symbol or as `{"symbol": "s", …}`, or one of these in `value` or `average` of another object.
struct MeasuredQuantity {
  /// The value in the requested unit, from 0 to `DecodingLimits.value`.
  let value: Double
  /// Whether the unit was missing or unknown, so that the usual one was assumed.
  let isAssumed: Bool

  /// The most levels of nested objects that are searched for a quantity.
  private static let deepest = 4

  /// Reads a quantity in `unit`; nil without a number within the limits. An unknown unit counts as `unit`.
  init?(_ value: JSONValue, _ unit: MetricUnit, isInstructions: Bool = false) throws {
    var number: Double?
    var symbol: BorrowedJSONString?
    var at: JSONValue? = value
    var depth = 0
    while let here = at, depth < Self.deepest {
      at = nil
      depth += 1
      switch here.kind {
      case .integer, .double: number = try here.number()
      case .string:
        // A string contains its unit after the number.
        self.init(try here.text(), unit)
        return
      case .object:
        let object = try here.object()
        if let found = Self.symbol(object["unit"]) { symbol = found }
        at = object["value"] ?? object["average"] ?? object["averageValue"]
      default: return nil
      }
    }
    guard let number else { return nil }
    let scale = symbol.flatMap { Self.scale(of: $0, unit, isInstructions) }
    let assumed = isInstructions && symbol?.count ?? 0 > 0 ? 1000 : 1.0
    self.init(number * (scale ?? assumed), isAssumed: scale == nil && !(unit == .count && symbol == nil))
  }

  private init?(_ text: BorrowedJSONString, _ unit: MetricUnit) {
    guard let found = ParsedMeasurement(text, MeasurementFormat(writtenFor: unit)) else { return nil }
    // Apple writes disk writes in bytes and all other sizes in kilobytes.
    self.init(found.isAssumed && unit == .bytes ? found.value / 1000 : found.value, isAssumed: found.isAssumed)
  }

  private init?(_ value: Double, isAssumed: Bool) {
    guard value >= 0, value <= DecodingLimits.value else { return nil }
    self.value = value
    self.isAssumed = isAssumed
  }

  /// The symbol of a unit, from a string or from an object with the member `symbol`; nil for anything else.
  static func symbol(_ value: JSONValue?) -> BorrowedJSONString? {
    guard let value else { return nil }
    if let text = value.textOrNil { return text }
    return (value.objectOrNil)?["symbol"].flatMap { try? $0.text() }
  }

  /// The factor from the unit with this symbol to `unit`; nil for an unknown symbol.
  private static func scale(of symbol: BorrowedJSONString, _ unit: MetricUnit, _ isInstructions: Bool) -> Double? {
    if isInstructions { return UnitWords.scale(of: symbol.bytes, .instructions) }
    if unit == .framesPerSecond { return symbol == "Hz" || symbol == "fps" ? 1 : nil }
    if unit == .millisecondsPerSecond, symbol == "" || symbol == "ratio" { return 1000 }
    if unit == .count { return 1 }
    let format = MeasurementFormat(writtenFor: unit)
    return UnitWords.scale(of: symbol.bytes, format.dimension).map { $0 / format.target }
  }
}
