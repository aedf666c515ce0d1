extension CPlusPlusName {
  var startsOperator: Bool {
    part.isEmpty && text[at...].starts(with: "operator".utf8)
      && (at + 8 == text.count || !Self.isIdentifier(text[at + 8]))
  }

  private static let symbols = [
    "()", "[]", "->*", "<=>", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "^=", "&=", "|=", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", "<", ">", ",",
    " new[]", " delete[]", " new", " delete", " co_await",
  ]

  mutating func readOperator() {
    part += Array("operator".utf8)
    at += 8
    if let symbol = Self.symbols.first(where: { text[at...].starts(with: $0.utf8) }) {
      part += Array(symbol.utf8)
      at += symbol.utf8.count
      // `operator< <int>`
      if at + 1 < text.count, text[at] == Self.space, text[at + 1] == Self.less { at += 1 }
      return
    }
    if text[at...].starts(with: "\"\"".utf8) {
      part += Array("\"\"".utf8)
      at += 2
      if at < text.count, text[at] == Self.space { at += 1 }
      return
    }
    readConversion()
  }

  /// `operator unsigned long() const`: the type is its name.
  private mutating func readConversion() {
    while at < text.count, text[at] != Self.open {
      if text[at] == Self.less {
        guard let end = closing(at) else { return at = text.count }
        at = end + 1
      } else {
        part.append(text[at])
        at += 1
      }
    }
  }
}
