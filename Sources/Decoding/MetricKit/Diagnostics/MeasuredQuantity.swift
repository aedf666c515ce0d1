internal import JSON
internal import Telemetry

/// A number with a unit in any of MetricKit's ways to write it: `"20 sec"`, `20`, `{"value": 20, "unit": "s"}` with the
/// unit as a symbol or as `{"symbol": "s", …}`, or such an object in a member `value` or `average`.
struct MeasuredQuantity {
  /// In the wanted unit; neither negative nor absurdly large.
  let value: Double
  /// The unit was assumed, because there is none or nobody knows the word.
  let isAssumed: Bool

  /// Objects in objects deeper than this are not looked into.
  private static let deepest = 4

  /// Nil when there is no number, or one that cannot be. An unknown unit is taken for the wanted one.
  init?(_ value: JSONValue, _ unit: MetricUnit, isInstructions: Bool = false) throws {
    var number: Double?
    var symbol: JSONText?
    var at: JSONValue? = value
    var depth = 0
    while let here = at, depth < Self.deepest {
      at = nil
      depth += 1
      switch here.kind {
      case .integer, .double: number = try here.number()
      case .string:
        // What stands in a text has its unit behind it.
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

  private init?(_ text: JSONText, _ unit: MetricUnit) {
    guard let found = ParsedMeasurement(text, MeasurementFormat(writtenFor: unit)) else { return nil }
    // Apple writes what apps wrote to disk in bytes, and all other sizes in kilobytes.
    self.init(found.isAssumed && unit == .bytes ? found.value / 1000 : found.value, isAssumed: found.isAssumed)
  }

  private init?(_ value: Double, isAssumed: Bool) {
    guard value >= 0, value <= Limits.value else { return nil }
    self.value = value
    self.isAssumed = isAssumed
  }

  /// The text of a unit: a symbol, or an object that has one.
  static func symbol(_ value: JSONValue?) -> JSONText? {
    guard let value else { return nil }
    if let text = value.textOrNil { return text }
    return (value.objectOrNil)?["symbol"].flatMap { try? $0.text() }
  }

  /// The factor that turns a number in the unit called `symbol` into `unit`; nil for a symbol nobody knows.
  private static func scale(of symbol: JSONText, _ unit: MetricUnit, _ isInstructions: Bool) -> Double? {
    if isInstructions { return UnitWords.scale(of: symbol.bytes, .instructions) }
    if unit == .framesPerSecond { return symbol == "Hz" || symbol == "fps" ? 1 : nil }
    if unit == .millisecondsPerSecond, symbol == "" || symbol == "ratio" { return 1000 }
    if unit == .count { return 1 }
    let format = MeasurementFormat(writtenFor: unit)
    return UnitWords.scale(of: symbol.bytes, format.dimension).map { $0 / format.target }
  }
}
