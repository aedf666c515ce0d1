/// The words of one family of units. The first meaning of a word holds.
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

  /// The size of the unit called `word`; nil when nobody calls one so. The case of letters decides when it can ("Mb" of
  /// one language may be another's "MB"), and is ignored otherwise.
  func scale(of word: String) -> Double? {
    exact[word] ?? folded[Self.folded(word)]
  }

  /// In lower case, without the point of an abbreviation and the joiners between letters.
  private static func folded(_ word: String) -> String {
    var scalars = word.lowercased().unicodeScalars
    scalars.removeAll { $0 == "\u{200C}" || $0 == "\u{200D}" }
    if scalars.last == "." { scalars.removeLast() }
    return String(scalars)
  }
}
