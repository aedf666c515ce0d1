internal import Telemetry

extension BudgetParser {
  /// Reads what stands behind `on`: devices or a condition on the system.
  mutating func parseTarget() throws(GrammarError) {
    let keyword = cursor
    cursor.advance()
    guard let word = cursor.current, word.kind == .word, SystemNaming.isSystem(word.text) else {
      guard budget.device == nil else { throw keyword.expected("one clause on devices") }
      budget.device = try parseDevice()
      return
    }
    let found = try parseSystem(word)
    if let first = budget.systems.first, first.system != found.system {
      throw GrammarError(
        offset: word.offset, message: "expected a second condition on \(first.system), found \(quoted(word.text))")
    }
    guard SystemMatch.haveCommonVersion(budget.systems + [found]) else {
      throw GrammarError(
        offset: word.offset, message: "expected a condition that some version meets beside \(budget.systems[0].text)")
    }
    budget.systems.append(found)
  }

  private mutating func parseDevice() throws(GrammarError) -> DeviceMatch {
    let place = cursor
    let words = cursor.takeClause()
    let text = words.map(\.text).joined(separator: " ")
    if let found = DeviceClass(name: text) { return .deviceClass(found) }
    if words.count == 1, DeviceNaming.isPattern(text) {
      if let first = words.first, !DeviceMatch.pattern(text, meansOneOf: DeviceNames.models) {
        warnings.append(
          GrammarError(offset: first.offset, message: "no model that this version knows is called \(quoted(text))"))
      }
      return .pattern(text)
    }
    // Where a class begins with the same words, one phone of it is hardly what was meant.
    if DeviceNaming.longerClass(than: text) == nil, let found = DeviceNames.models(called: text) {
      return .named(found.name, models: found.models)
    }
    guard let first = words.first else { throw place.expected(DeviceNaming.expectation) }
    throw GrammarError(
      offset: first.offset,
      message: "expected \(DeviceNaming.expectation), found \(quoted(text))\(DeviceNaming.suggestion(for: text))")
  }

  /// `iOS <17`, `iOS >= 17.2`, `iOS 17`
  private mutating func parseSystem(_ name: Token) throws(GrammarError) -> SystemMatch {
    cursor.advance()
    var comparison = SystemMatch.Comparison.within
    if let sign = cursor.take(.comparison) {
      guard let known = SystemNaming.comparison(sign.text) else {
        throw GrammarError(offset: sign.offset, message: "expected <, <=, >= or >, found \(quoted(sign.text))")
      }
      comparison = known
    }
    guard let word = cursor.current, word.kind == .word, let version = SystemNaming.version(word.text),
      let found = SystemMatch(system: name.text, comparison: comparison, version: version)
    else { throw cursor.expected("a version such as 17 or 17.2") }
    cursor.advance()
    return found
  }
}

/// How conditions on systems are written.
private enum SystemNaming {
  static func isSystem(_ word: String) -> Bool {
    let wanted = word.lowercased()
    return SystemMatch.systems.contains { $0.lowercased() == wanted }
  }

  static func comparison(_ sign: String) -> SystemMatch.Comparison? {
    switch sign {
    case "≤": .atMost
    case "≥": .atLeast
    default: SystemMatch.Comparison(rawValue: sign)
    }
  }

  /// Numbers of at most four digits between points.
  static func version(_ word: String) -> [Int]? {
    let parts = word.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...4).contains(parts.count) else { return nil }
    let numbers = parts.compactMap { part in
      part.count <= 4 && part.allSatisfy { (48...57).contains($0) } ? Int(Substring(part)) : nil
    }
    return numbers.count == parts.count ? numbers : nil
  }
}
