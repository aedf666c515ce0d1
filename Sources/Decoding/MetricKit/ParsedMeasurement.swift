internal import JSON

/// A measurement string: a number and a unit in the device's language, such as `1,530 ms` or `79 041 кБ`.
struct ParsedMeasurement: Equatable {
  /// In the format's unit. May be negative: that is for the caller to judge.
  var value: Double
  /// The unit was taken for the one Apple writes, because nobody knows the word or there is none.
  var isAssumed: Bool
}

extension ParsedMeasurement {
  /// Nil when the text holds no number.
  init?(_ text: JSONText, _ format: MeasurementFormat) {
    self.init(utf8: text.bytes, format)
  }

  /// Nil when the bytes (well-formed UTF-8) hold no number.
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

  /// A number without a unit, where a string was to be expected. Plain counts have none.
  init(bare number: Double, _ format: MeasurementFormat) {
    self.init(number, scale: format.assumed, format, isAssumed: format.dimension != .count)
  }

  private init(_ number: Double, scale: Double, _ format: MeasurementFormat, isAssumed: Bool) {
    // One unit is a whole number of the other, so that only one step rounds: 1530 ms are the double nearest to 1.53 s.
    let converted =
      scale >= format.target ? number * (scale / format.target) : number / (format.target / scale)
    // Adding zero makes 0 of −0.
    value = converted + 0
    self.isAssumed = isAssumed
  }
}
