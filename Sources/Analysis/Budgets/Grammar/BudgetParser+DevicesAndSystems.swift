internal import Core

extension BudgetParser {
  /// Parses the text after `on`: devices, or a condition on the OS version.
  mutating func parseTarget() throws(GrammarError) {
    let keyword = cursor
    cursor.advance()
    guard let word = cursor.current, word.kind == .word, SystemNaming.isSystem(word.text) else {
      guard budget.device == nil else { throw keyword.expected("at most one clause for devices") }
      budget.device = try parseDevice()
      return
    }
    let found = try parseSystem(word)
    if let first = budget.systems.first, first.system != found.system {
      throw GrammarError(
        offset: word.offset, message: "expected a second condition on \(first.system), found \(quoted(word.text))")
    }
    guard SystemMatch.haveCommonVersion(budget.systems + [found]) else {
      let others = budget.systems.first.map { " together with \($0.text)" } ?? ""
      throw GrammarError(
        offset: word.offset,
        message: "expected a condition that a version can meet\(others), found \(quoted(found.text))")
    }
    budget.systems.append(found)
  }

  private mutating func parseDevice() throws(GrammarError) -> DeviceMatch {
    let start = cursor
    let words = cursor.takeClause()
    let text = words.map(\.text).joined(separator: " ")
    if let found = DeviceClass(name: text) { return .deviceClass(found) }
    if words.count == 1, DeviceNaming.isPattern(text) {
      if let first = words.first, !DeviceMatch.pattern(text, meansOneOf: DeviceNames.models) {
        warnings.append(
          GrammarError(offset: first.offset, message: "unknown device model \(quoted(text)), misspelt or too new"))
      }
      return .pattern(text)
    }
    // If a device class begins with the same words, the class was probably meant, not the model.
    if DeviceNaming.longerClass(than: text) == nil, let found = DeviceNames.models(called: text) {
      return .named(found.name, models: found.models)
    }
    guard let first = words.first else { throw start.expected(DeviceNaming.expectation) }
    throw GrammarError(
      offset: first.offset,
      message: "expected \(DeviceNaming.expectation), found \(quoted(text))\(DeviceNaming.suggestion(for: text))")
  }

  /// Parses `iOS <17`, `iOS >= 17.2` or `iOS 17`.
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

/// The spelling of conditions on OS versions.
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

  /// The components of a version: at most four digits each, separated by points. Nil for any other text.
  static func version(_ word: String) -> [Int]? {
    let parts = word.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...4).contains(parts.count) else { return nil }
    let numbers = parts.compactMap { part in
      part.count <= 4 && part.allSatisfy { (48...57).contains($0) } ? Int(Substring(part)) : nil
    }
    return numbers.count == parts.count ? numbers : nil
  }
}

/// The device names that may follow `on`.
enum DeviceNaming {
  static let expectation =
    "a model such as iPhone12,1, a pattern such as iPhone12,*, a device class "
    + "or an OS version such as iOS 17"

  /// Whether a word may be a pattern of model identifiers.
  static func isPattern(_ word: String) -> Bool {
    guard word.utf8.allSatisfy({ isLetter($0) || isDigit($0) || ",*_-.".utf8.contains($0) }) else { return false }
    if word.utf8.contains(UInt8(ascii: "*")) || DeviceClass.of(model: word) != .other { return true }
    let rest = word.utf8.drop(while: isLetter).drop(while: isDigit)
    return rest.first == UInt8(ascii: ",") && rest.count > 1 && rest.dropFirst().allSatisfy(isDigit)
  }

  /// A suggestion for an error message: `; did you mean iPhone 12 and older?`; empty if there is none.
  static func suggestion(for text: String) -> String {
    let wanted = text.lowercased()
    let names = DeviceClass.all.map(\.name)
    if let longer = longerClass(than: text) { return "; did you mean \(longer)?" }
    if families.contains(where: wanted.hasPrefix), text.utf8.drop(while: isLetter).allSatisfy(isDigit) {
      return "; did you mean \(text)\(text.utf8.contains(where: isDigit) ? "," : "")*?"
    }
    let near = EditDistance.nearest(to: wanted, in: names.map { ($0.lowercased(), $0) })
    return near.map { "; did you mean \($0)?" } ?? ""
  }

  /// The device class that begins with `text`: `iPhone 12 and older` for `iPhone 12`.
  static func longerClass(than text: String) -> String? {
    guard !text.isEmpty else { return nil }
    let start = text.lowercased() + " "
    return DeviceClass.all.map(\.name).first { $0.lowercased().hasPrefix(start) }
  }

  private static let families = ["iphone", "ipad", "ipod", "mac", "imac", "watch", "appletv"]

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
