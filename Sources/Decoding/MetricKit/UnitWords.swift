/// What the words behind numbers mean, in the languages of iOS (short unit names of the Unicode CLDR).
enum UnitWords {
  /// The size of a unit in its dimension's base unit; nil for a word nobody knows.
  static func scale(of bytes: UnsafeBufferPointer<UInt8>, _ dimension: UnitDimension) -> Double? {
    // The words of devices since iOS 15.2, which write English whatever their language.
    switch (dimension, bytes.count) {
    case (.duration, 2) where bytes[0] == UInt8(ascii: "m") && bytes[1] == UInt8(ascii: "s"): return 1e3
    case (.duration, 3) where bytes.elementsEqual("sec".utf8): return 1e6
    case (.information, 2) where bytes[0] == UInt8(ascii: "k") && bytes[1] == UInt8(ascii: "B"): return 1e3
    case (.bars, 4) where bytes.elementsEqual("bars".utf8): return 1
    case (.luminance, 3) where bytes.elementsEqual("apl".utf8): return 1
    case (.hitchRatio, 8) where bytes.elementsEqual("ms per s".utf8): return 1
    case (.instructions, 16) where bytes.elementsEqual("kiloinstructions".utf8): return 1e3
    case (_, 0): return dimension == .count ? 1 : nil
    default: return scale(of: String(decoding: bytes, as: UTF8.self), dimension)
    }
  }

  /// The size of a unit in its dimension's base unit; nil for a word nobody knows. Case decides only when it must.
  static func scale(of word: String, _ dimension: UnitDimension) -> Double? {
    let words = table(of: dimension)
    return words[word] ?? words[folded(word)]
  }

  private static func folded(_ word: String) -> String {
    let lower = word.lowercased()
    return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
  }

  private static func table(of dimension: UnitDimension) -> [String: Double] {
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

  private static let durationTable = table(durations)
  private static let sizeTable = table(sizes)
  private static let hitchRatioTable = table([(1, ["ms per s", "ms/s"]), (1000, ["s per s", "s/s"])])
  private static let barsTable = table([(1, ["bars", "bar"])])
  private static let luminanceTable = table([(1, ["apl"])])
  private static let instructionTable = table([
    (1, ["instructions"]), (1e3, ["kiloinstructions"]), (1e6, ["megainstructions"]), (1e9, ["gigainstructions"]),
  ])
  private static let countTable = table([(1, ["", "files"])])

  private static func table(_ units: [(scale: Double, words: [String])]) -> [String: Double] {
    var table: [String: Double] = [:]
    for unit in units {
      for word in unit.words { table[word] = unit.scale }
    }
    for (word, scale) in table where table[folded(word)] == nil { table[folded(word)] = scale }
    return table
  }
}
