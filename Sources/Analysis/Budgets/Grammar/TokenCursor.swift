/// A cursor over the tokens of a budget.
struct TokenCursor {
  private let tokens: [Token]
  private let end: Int
  private var index = 0

  init(_ text: String) throws(GrammarError) {
    tokens = try Token.tokens(of: text)
    end = text.unicodeScalars.count
  }

  /// The current token; nil after the last one.
  var current: Token? { index < tokens.count ? tokens[index] : nil }

  /// Whether the current clause has ended: the next token is a comma, or there is none.
  var isAtClauseEnd: Bool { current.map { $0.kind == .comma } ?? true }

  mutating func advance() { index += 1 }

  /// Consumes and returns the current token if it is of that kind; otherwise returns nil.
  mutating func take(_ kind: Token.Kind) -> Token? {
    guard let token = current, token.kind == kind else { return nil }
    index += 1
    return token
  }

  /// Consumes the word `word`; throws if the current token is anything else.
  mutating func take(word: String) throws(GrammarError) {
    guard let token = current, token.kind == .word, token.text == word else { throw expected(word) }
    index += 1
  }

  /// Consumes and returns all tokens up to the end of the clause.
  mutating func takeClause() -> [Token] {
    var taken: [Token] = []
    while !isAtClauseEnd, let token = current {
      taken.append(token)
      index += 1
    }
    return taken
  }

  /// An error about the current token: `expected <= or >=, found "<"`.
  func expected(_ what: String) -> GrammarError {
    guard let current else {
      return GrammarError(offset: end, message: "expected \(what), found the end of the line")
    }
    let hint = current.kind == .word && current.text.utf8.contains(UInt8(ascii: ",")) ? Self.commaHint : ""
    let found = current.kind == .comma ? "a comma" : quoted(current.text)
    return GrammarError(offset: current.offset, message: "expected \(what), found \(found)\(hint)")
  }

  private static let commaHint = " (a comma separates clauses only if a space follows it)"
}

/// A token of a budget and its position.
struct Token {
  enum Kind {
    case word
    case quoted
    /// A comparison operator, `<=` or `>=`, or a misspelt one.
    case comparison
    /// A comma followed by a space or the end; the comma in `iPhone12,*` is part of a word.
    case comma
  }

  let kind: Kind
  /// The text, without quotation marks.
  let text: String
  /// The position, in Unicode scalars from the start of the budget.
  let offset: Int
}

/// An error in a budget, with its position in Unicode scalars from the start of the budget.
struct GrammarError: Error, Equatable {
  let offset: Int
  let message: String
}

extension Token {
  /// Splits a budget into its tokens.
  static func tokens(of text: String) throws(GrammarError) -> [Token] {
    let scalars = Array(text.unicodeScalars)
    var tokens: [Token] = []
    var index = 0
    while index < scalars.count {
      if scalars[index].properties.isWhitespace {
        index += 1
        continue
      }
      let (token, end) = try token(in: scalars, at: index)
      tokens.append(token)
      index = end
    }
    return tokens
  }

  private static func token(
    in scalars: [Unicode.Scalar], at start: Int
  ) throws(GrammarError) -> (Token, end: Int) {
    if endsClause(scalars, start) { return (Token(kind: .comma, text: ",", offset: start), start + 1) }
    if scalars[start] == "\"" {
      guard let close = scalars[(start + 1)...].firstIndex(of: "\"") else {
        throw GrammarError(offset: start, message: "expected a closing quotation mark")
      }
      return (Token(kind: .quoted, text: string(scalars[start + 1..<close]), offset: start), close + 1)
    }
    let isComparison = comparisons.contains(scalars[start])
    var end = start + 1
    while end < scalars.count, comparisons.contains(scalars[end]) == isComparison, isComparison || !breaks(scalars, end)
    {
      end += 1
    }
    return (Token(kind: isComparison ? .comparison : .word, text: string(scalars[start..<end]), offset: start), end)
  }

  private static let comparisons: Set<Unicode.Scalar> = ["<", ">", "=", "≤", "≥"]

  private static func breaks(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
    scalars[index].properties.isWhitespace || scalars[index] == "\"" || endsClause(scalars, index)
  }

  private static func endsClause(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
    scalars[index] == "," && (index + 1 == scalars.count || scalars[index + 1].properties.isWhitespace)
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}
