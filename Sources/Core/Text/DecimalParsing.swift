extension FixedWidthInteger {
  /// The number that a text of decimal digits means: `42`; nil for any other text, such as `+5`, `0x32` or ` 7`, and for
  /// a number that is too large.
  public init?(decimal text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    self.init(text)
  }
}

extension Double {
  /// The number that a number of JSON without a sign means: `33.3` or `1e-5`; nil for any other text, such as `+5`,
  /// `0x32`, `.5` or `nan`.
  public init?(decimal text: some StringProtocol) {
    guard String(text).wholeMatch(of: /[0-9]+(\.[0-9]+)?([eE][+\-]?[0-9]+)?/) != nil else { return nil }
    self.init(text)
  }
}
