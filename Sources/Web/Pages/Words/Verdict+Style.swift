import Analysis

extension Optional<Verdict> {
  /// The verdict in words, with a symbol, because colour alone must not carry the meaning.
  var word: String {
    switch self {
    case .within: "Within budget"
    case .warning: "Warning"
    case .broken: "Broken"
    case .notEnoughData: "Not enough data"
    case nil: "No data yet"
    }
  }

  var symbol: String {
    switch self {
    case .within: "✓"
    case .warning: "▲"
    case .broken: "✕"
    case .notEnoughData: "○"
    case nil: "·"
    }
  }

  /// The CSS class that gives the colour.
  var style: StaticString {
    switch self {
    case .within: "within"
    case .warning: "warning"
    case .broken: "broken"
    case .notEnoughData: "unsure"
    case nil: "none"
    }
  }

  /// The sort order: the worst verdict is 0.
  var severity: Int {
    switch self {
    case .broken: 0
    case .warning: 1
    case .notEnoughData: 2
    case .within: 3
    case nil: 4
    }
  }
}
