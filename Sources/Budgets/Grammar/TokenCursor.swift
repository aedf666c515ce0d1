/// Goes through the tokens of a budget.
struct TokenCursor {
  private let tokens: [Token]
  private let end: Int
  private var index = 0

  init(_ text: String) throws(GrammarError) {
    tokens = try Token.tokens(of: text)
    end = text.unicodeScalars.count
  }

  /// The token at hand; nil behind the last one.
  var current: Token? { index < tokens.count ? tokens[index] : nil }

  /// True before a comma and behind the last token.
  var isAtClauseEnd: Bool { current.map { $0.kind == .comma } ?? true }

  mutating func advance() { index += 1 }

  /// Takes the token if it is of that kind.
  mutating func take(_ kind: Token.Kind) -> Token? {
    guard let token = current, token.kind == kind else { return nil }
    index += 1
    return token
  }

  /// Takes the word `word`, or says that it was expected.
  mutating func take(word: String) throws(GrammarError) {
    guard let token = current, token.kind == .word, token.text == word else { throw expected(word) }
    index += 1
  }

  /// Takes everything up to the end of the clause.
  mutating func takeClause() -> [Token] {
    var taken: [Token] = []
    while !isAtClauseEnd, let token = current {
      taken.append(token)
      index += 1
    }
    return taken
  }

  /// `expected <= or >=, found "<"`
  func expected(_ what: String) -> GrammarError {
    guard let current else {
      return GrammarError(offset: end, message: "expected \(what), found the end of the line")
    }
    let hint = current.kind == .word && current.text.utf8.contains(UInt8(ascii: ",")) ? Self.commaHint : ""
    let found = current.kind == .comma ? "a comma" : quoted(current.text)
    return GrammarError(offset: current.offset, message: "expected \(what), found \(found)\(hint)")
  }

  private static let commaHint = " (a comma separates clauses only with a space behind it)"
}
