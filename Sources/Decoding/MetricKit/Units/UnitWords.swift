/// What the words behind numbers mean, in the languages of iOS (short unit names of the Unicode CLDR).
enum UnitWords {
  /// The size of a unit in its dimension's base unit; nil for a word nobody knows.
  static func scale(of bytes: UnsafeBufferPointer<UInt8>, _ dimension: UnitDimension) -> Double? {
    // The words of devices since iOS 15.2, which write English whatever their language.
    switch (dimension, bytes.count) {
    case (.duration, 2) where bytes[0] == UInt8(ascii: "m") && bytes[1] == UInt8(ascii: "s"): return 1e3
    case (.duration, 3) where bytes.elementsEqual("sec".utf8): return 1e6
    case (.information, 2) where bytes[0] == UInt8(ascii: "k") && bytes[1] == UInt8(ascii: "B"): return 1e3
    case (.information, 4) where bytes.elementsEqual("byte".utf8): return 1
    case (.bars, 4) where bytes.elementsEqual("bars".utf8): return 1
    case (.luminance, 3) where bytes.elementsEqual("apl".utf8): return 1
    case (.hitchRatio, 8) where bytes.elementsEqual("ms per s".utf8): return 1
    case (.instructions, 16) where bytes.elementsEqual("kiloinstructions".utf8): return 1e3
    case (_, 0): return dimension == .count ? 1 : nil
    default: return scale(of: String(decoding: bytes, as: UTF8.self), dimension)
    }
  }

  /// The size of a unit in its dimension's base unit; nil for a word nobody knows.
  static func scale(of word: String, _ dimension: UnitDimension) -> Double? {
    table(of: dimension).scale(of: word)
  }

  private static func table(of dimension: UnitDimension) -> UnitTable {
    switch dimension {
    case .duration: durationTable
    case .information: sizeTable
    case .hitchRatio: hitchRatioTable
    case .bars: barsTable
    case .luminance: luminanceTable
    case .instructions: instructionTable
    case .count: countTable
    }
  }

  private static let durationTable = UnitTable(durations)
  private static let sizeTable = UnitTable(sizes)
  // MetricKit's own units, which iOS translates into no language.
  private static let hitchRatioTable = UnitTable([(1, ["ms per s", "ms/s"]), (1000, ["s per s", "s/s"])])
  private static let barsTable = UnitTable([(1, ["bars", "bar"])])
  private static let luminanceTable = UnitTable([(1, ["apl"])])
  private static let instructionTable = UnitTable([
    (1, ["instructions"]), (1e3, ["kiloinstructions"]), (1e6, ["megainstructions"]), (1e9, ["gigainstructions"]),
  ])
  private static let countTable = UnitTable([(1, ["", "files"])])
}
