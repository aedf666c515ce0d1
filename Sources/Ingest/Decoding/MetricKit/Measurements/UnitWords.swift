/// The sizes of units, by the words for them in the languages of iOS (short unit names of the Unicode CLDR).
enum UnitWords {
  /// The size of a unit in its dimension's base unit; nil for an unknown word.
  static func scale(of bytes: UnsafeBufferPointer<UInt8>, _ dimension: UnitDimension) -> Double? {
    // Fast path: since iOS 15.2 devices write English in every language.
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
    // Longer than any word; a text of megabytes would be hashed.
    case (_, 100...): return nil
    default: return scale(of: String(decoding: bytes, as: UTF8.self), dimension)
    }
  }

  /// The size of a unit in its dimension's base unit; nil for an unknown word.
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
  // MetricKit's own units, which iOS does not translate.
  private static let hitchRatioTable = UnitTable([(1, ["ms per s", "ms/s"]), (1000, ["s per s", "s/s"])])
  private static let barsTable = UnitTable([(1, ["bars", "bar"])])
  private static let luminanceTable = UnitTable([(1, ["apl"])])
  private static let instructionTable = UnitTable([
    (1, ["instructions"]), (1e3, ["kiloinstructions"]), (1e6, ["megainstructions"]), (1e9, ["gigainstructions"]),
  ])
  private static let countTable = UnitTable([(1, ["", "files"])])
}

/// The words of one family of units. If a word occurs twice, its first meaning applies.
struct UnitTable {
  private var exact: [String: Double] = [:]
  private var folded: [String: Double] = [:]

  init(_ units: [(scale: Double, words: [String])]) {
    for (scale, words) in units {
      for word in words {
        if exact[word] == nil { exact[word] = scale }
        let key = Self.folded(word)
        if folded[key] == nil { folded[key] = scale }
      }
    }
  }

  /// The size of the unit with this word; nil if unknown. An exact match comes first, because case can matter ("Mb" of
  /// one language may be another's "MB"). Otherwise case is ignored.
  func scale(of word: String) -> Double? {
    exact[word] ?? folded[Self.folded(word)]
  }

  /// The word in lower case, without a trailing point and without joiners between letters.
  private static func folded(_ word: String) -> String {
    var scalars = word.lowercased().unicodeScalars
    scalars.removeAll { $0 == "\u{200C}" || $0 == "\u{200D}" }
    if scalars.last == "." { scalars.removeLast() }
    return String(scalars)
  }
}
