extension FixedWidthInteger {
  /// The number that a text of decimal digits means: `42`; nil for any other text, such as `+5`, `0x32` or ` 7`, and for
  /// a number that is too large.
  public init?(decimal text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    self.init(text)
  }
}

extension Double {
  /// The number that decimal digits with at most one point between them mean: `33.3`; nil for any other text, such as
  /// `1e3`, `0x32`, `.5` or `nan`.
  public init?(decimal text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (48...57).contains($0) } }) else {
      return nil
    }
    self.init(text)
  }
}
