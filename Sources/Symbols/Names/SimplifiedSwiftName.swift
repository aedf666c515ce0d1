/// A shortened demangled Swift name, without modules, types of arguments and results, and notes about optimisations.
///
/// `function signature specialization <Arg[0] = Dead> of static Ledger.Book.post(_: Swift.Int, by: Swift.Int) ->
/// Swift.Int` becomes `specialized static Book.post(_:by:)`. Swift's compiler can demangle to such a form, but its
/// runtime cannot.
struct SimplifiedSwiftName {
  private let text: [UInt8]
  private var at = 0
  private var output: [UInt8] = []
  private var hasSeenConformance = false

  static func of(_ demangled: String) -> String {
    var name = SimplifiedSwiftName(Array(demangled.utf8))
    name.entity()
    return String(decoding: name.output, as: UTF8.self)
  }

  private init(_ text: [UInt8]) {
    self.text = text
    output.reserveCapacity(text.count)
  }

  // One pass over the bytes. Brackets are skipped iteratively, because names come from untrusted files.

  private mutating func entity() {
    prefixes()
    while at < text.count {
      if hasSeenConformance, starts(" : ") {
        // Skips the protocol and the module of the conformance.
        at = text.count
      } else if Self.typeStarts.contains(where: starts) {
        skipType()
      } else if starts(" with unmangled suffix ") {
        at = text.count
      } else if starts("(extension in "), let end = closing(at), end + 1 < text.count, text[end + 1] == colon {
        at = end + 2
      } else if text[at] == open, isCall {
        arguments()
      } else if text[at] == open, isPrivate {
        privateName()
      } else if text[at] == UInt8(ascii: "@"), isBehindNumber {
        // For example `closure #1 @Sendable (Swift.Int)`.
        while at < text.count, text[at] != space { at += 1 }
        at = min(at + 1, text.count)
      } else if text[at] == less, let end = closing(at), isGeneric {
        generics(end)
      } else if isWordStart {
        if starts("conformance ") { hasSeenConformance = true }
        word()
      } else {
        output.append(text[at])
        at += 1
      }
    }
  }

  /// Replaces all `… specialization <…> of ` at the start with one word.
  private mutating func prefixes() {
    var isSpecialized = false
    while let end = endOfSpecialization() {
      isSpecialized = true
      at = end
    }
    if isSpecialized { output += Array("specialized ".utf8) }
    for (long, short) in Self.shortened where starts(long) {
      at += long.utf8.count
      output += Array(short.utf8)
    }
  }

  private static let typeStarts = [" -> ", " : ", " async ", " throws ", " throws("]

  private static let shortened = [
    ("merged ", ""), ("dynamic ", ""), ("partial apply forwarder for ", "partial apply for "), ("merged ", ""),
  ]

  private static let specializations = [
    "function signature specialization ", "generic specialization ", "generic partial specialization ",
    "generic not re-abstracted specialization ", "generic not-reabstracted specialization ",
    "generic pre-specialization ", "closure specialization ",
  ]

  private func endOfSpecialization() -> Int? {
    for prefix in Self.specializations where starts(prefix) {
      let bracket = at + prefix.utf8.count
      guard bracket < text.count, text[bracket] == less else { return nil }
      if let end = closing(bracket), starts(" of ", at: end + 1) { return end + 5 }
      // For a propagated closure the demangler opens a bracket and does not close it.
      return (bracket..<text.count).first { starts("> of ", at: $0) }.map { $0 + 5 }
    }
    return nil
  }

  // MARK: Words

  /// Copies the word at the current index. A module name, the first part of a dotted path, is skipped.
  private mutating func word() {
    let end = endOfIdentifier(at)
    let isModule = end < text.count && text[end] == dot && end + 1 < text.count && text[end + 1] != dot
    if isModule {
      at = end + 1
      // The rest of the path is copied.
      path()
    } else {
      output += text[at..<end]
      at = end
    }
  }

  private mutating func path() {
    while at < text.count {
      if text[at] == open, isPrivate {
        privateName()
      } else {
        let end = endOfIdentifier(at)
        guard end > at else { return }
        output += text[at..<end]
        at = end
      }
      if at < text.count, text[at] == less, let end = closing(at) { generics(end) }
      guard at < text.count, text[at] == dot else { return }
      output.append(dot)
      at += 1
      // An operator is a separate word.
      let end = endOfOperator(at)
      if end > at {
        output += text[at..<end]
        at = end
        return
      }
    }
  }

  private var isPrivate: Bool {
    guard let end = closing(at) else { return false }
    let inner = text[at + 1..<end]
    return inner.starts(with: "in _".utf8) || String(decoding: inner, as: UTF8.self).contains(" in _")
  }

  /// Reads the name of a private function, as in `(helper in _0A1B…)`, or `(in _0A1B…)` after a name, where the number
  /// identifies the file.
  private mutating func privateName() {
    guard let end = closing(at) else { return }
    if starts("(in _") {
      if output.last == dot { output.removeLast() }
    } else {
      output += text[at + 1..<end].prefix { $0 != space }
    }
    at = end + 1
  }

  private var isWordStart: Bool {
    guard Self.isIdentifier(text[at]), !(48...57).contains(text[at]) else { return false }
    return at == 0 || !Self.isIdentifier(text[at - 1])
  }

  private func endOfIdentifier(_ start: Int) -> Int {
    var end = start
    while end < text.count, Self.isIdentifier(text[end]) { end += 1 }
    return end
  }

  private func endOfOperator(_ start: Int) -> Int {
    var end = start
    while end < text.count, "+-*/%=<>!&|^~?.".utf8.contains(text[end]) { end += 1 }
    return end
  }

  private static func isIdentifier(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte >= 0x80
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
  }

  // MARK: Brackets

  /// Whether a parenthesis starts arguments: it directly follows a name, its generics, an operator's fixity or a local
  /// function's number.
  private var isCall: Bool {
    guard at > 0 else { return false }
    let before = text[at - 1]
    if before == space { return isBehindNumber || ["infix ", "prefix ", "postfix "].contains { ends($0) } }
    return Self.isIdentifier(before) || before == greater || before == close || before == UInt8(ascii: "?")
      || ["infix", "prefix", "postfix"].contains { ends($0) }
  }

  /// Whether a number precedes, as in `closure #1 (Swift.Int)` and `helper #1 (Swift.Int)`.
  private var isBehindNumber: Bool {
    var index = at - 2
    if text[..<max(0, at - 1)].suffix(20).contains(UInt8(ascii: "@")) {
      while index >= 0, text[index] != space { index -= 1 }
      let end = index
      index -= 1
      while index >= 0, (48...57).contains(text[index]) { index -= 1 }
      return index >= 0 && index + 1 < end && text[index] == UInt8(ascii: "#")
    }
    while index >= 0, (48...57).contains(text[index]) { index -= 1 }
    return index >= 0 && index < at - 2 && text[index] == UInt8(ascii: "#")
  }

  private var isClosure: Bool {
    output.count >= 9 && String(decoding: output.suffix(24), as: UTF8.self).contains("closure #")
  }

  /// Replaces arguments with their labels: `(discount: Swift.Int, Swift.Int)` becomes `(discount:_:)`.
  private mutating func arguments() {
    guard let end = closing(at) else {
      at = text.count
      return
    }
    if isBehindNumber, isClosure {
      while output.last == space { output.removeLast() }
      at = end + 1
      return
    }
    output.append(open)
    for argument in parts(at + 1, end) {
      let label = argument.prefix { Self.isIdentifier($0) }
      let isLabelled = !label.isEmpty && argument.dropFirst(label.count).starts(with: [colon, space])
      output += isLabelled ? Array(label) : [UInt8(ascii: "_")]
      output.append(colon)
    }
    output.append(close)
    at = end + 1
  }

  /// Reduces generics to their parameters: `<A where A: Swift.P>` becomes `<A>`.
  private mutating func generics(_ end: Int) {
    let list = text[at + 1..<end]
    let isDeclaration = list.prefix(3).contains { (65...90).contains($0) } && !list.contains(dot)
    let text = String(decoding: list, as: UTF8.self)
    let parameters = text.components(before: " where ")
    output.append(less)
    output += isDeclaration ? Array(parameters.utf8) : Array(Self.withoutModules(parameters).utf8)
    output.append(greater)
    at = end + 1
  }

  private static func withoutModules(_ list: String) -> String {
    var short = SimplifiedSwiftName(Array(list.utf8))
    while short.at < short.text.count {
      let end = short.endOfIdentifier(short.at)
      if end > short.at, short.isWordStart, end < short.text.count, short.text[end] == short.dot {
        short.at = end + 1
        let next = short.endOfIdentifier(short.at)
        short.output += short.text[short.at..<next]
        short.at = next
      } else {
        short.output.append(short.text[short.at])
        short.at += 1
      }
    }
    return String(decoding: short.output, as: UTF8.self)
  }

  private var isGeneric: Bool {
    at > 0 && (Self.isIdentifier(text[at - 1]) || text[at - 1] == greater || isOperatorGeneric)
  }

  private var isOperatorGeneric: Bool { ["infix", "prefix", "postfix"].contains { ends($0) } }

  /// The index of the bracket that closes the one at `start`; nil if there is none. The `>` of `->` is not a bracket.
  private func closing(_ start: Int) -> Int? {
    var depth = 0
    for index in start..<text.count {
      switch text[index] {
      case open, less, UInt8(ascii: "["): depth += 1
      case greater where index > 0 && text[index - 1] == UInt8(ascii: "-"): break
      case close, greater, UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return index }
      default: break
      }
    }
    return nil
  }

  /// The parts between two indices, split at commas outside brackets; empty for an empty range.
  private func parts(_ start: Int, _ end: Int) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var depth = 0
    var first = start
    for index in start..<end {
      switch text[index] {
      case open, less, UInt8(ascii: "["): depth += 1
      case greater where text[index - 1] == UInt8(ascii: "-"): break
      case close, greater, UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        // A hostile name may have two commas in a row.
        if first <= index { parts.append(text[first..<index]) }
        first = min(index + 2, end)
      default: break
      }
    }
    return first < end ? parts + [text[first..<end]] : parts
  }

  /// Skips a type. In `() -> () in Cart.checkout()` it skips to before ` in `, which precedes the function around the
  /// closure; otherwise to before ` with unmangled suffix ` or to the end.
  private mutating func skipType() {
    var depth = 0
    at += 1
    while at < text.count {
      switch text[at] {
      case open, less, UInt8(ascii: "["): depth += 1
      case greater where text[at - 1] == UInt8(ascii: "-"): break
      case close, greater, UInt8(ascii: "]"): depth -= 1
      case space where depth == 0 && (starts(" in ") || starts(" with unmangled suffix ")): return
      default: break
      }
      at += 1
    }
  }

  // MARK: Bytes

  private let open = UInt8(ascii: "(")
  private let close = UInt8(ascii: ")")
  private let less = UInt8(ascii: "<")
  private let greater = UInt8(ascii: ">")
  private let colon = UInt8(ascii: ":")
  private let dot = UInt8(ascii: ".")
  private let space = UInt8(ascii: " ")

  private func starts(_ word: String) -> Bool { starts(word, at: at) }

  private func starts(_ word: String, at index: Int) -> Bool {
    index <= text.count && text[index...].starts(with: word.utf8)
  }

  private func ends(_ word: String) -> Bool { text[..<at].suffix(word.utf8.count).elementsEqual(word.utf8) }
}

extension String {
  /// The text before the first `separator`, or all of it.
  fileprivate func components(before separator: String) -> String {
    let (text, word) = (Array(utf8), Array(separator.utf8))
    for index in text.indices where text[index...].starts(with: word) {
      return String(decoding: text[..<index], as: UTF8.self)
    }
    return self
  }
}
