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
    // Adding zero turns −0 into 0.
    value = format.converted(number, scale: scale) + 0
    self.isAssumed = isAssumed
  }
}
