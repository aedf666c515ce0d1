/// Makes a demangled Swift name short: without modules, types of arguments and results, and what the optimizer did.
///
/// `function signature specialization <Arg[0] = Dead> of static Ledger.Book.post(_: Swift.Int, by: Swift.Int) -> Swift.Int`
/// becomes `specialized static Book.post(_:by:)`. The demangler of Swift's compiler has such a form, its runtime has not.
struct SimplifiedName {
  private let text: [UInt8]
  private var at = 0
  private var output: [UInt8] = []
  private var hasSeenConformance = false

  static func of(_ demangled: String) -> String {
    var name = SimplifiedName(Array(demangled.utf8))
    name.entity()
    return String(decoding: name.output, as: UTF8.self)
  }

  private init(_ text: [UInt8]) {
    self.text = text
    output.reserveCapacity(text.count)
  }

  // One walk over the bytes. Brackets are skipped without recursion: names come from files that anybody may have made.

  private mutating func entity() {
    prefixes()
    while at < text.count {
      if hasSeenConformance, starts(" : ") {
        // The protocol and the module that says so.
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
        // `closure #1 @Sendable (Swift.Int)`
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

  /// `… specialization <…> of ` at the beginning, any number of times, says one word.
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
      // Of a propagated closure, the demangler opens a bracket that it does not close.
      return (bracket..<text.count).first { starts("> of ", at: $0) }.map { $0 + 5 }
    }
    return nil
  }

  // MARK: Words

  /// A dotted path loses its first part when that is a module: parts that are followed by a dot and begin the path.
  private mutating func word() {
    let end = endOfIdentifier(at)
    let isModule = end < text.count && text[end] == dot && end + 1 < text.count && text[end + 1] != dot
    if isModule {
      at = end + 1
      // What comes next belongs to the path: it is written as it is.
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
      // Operators are words of their own.
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

  /// `(helper in _0A1B…)`, or `(in _0A1B…)` behind a name: the number tells the file.
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

  /// A parenthesis of arguments stands right behind a name, its generics, an operator's fixity or a local's number.
  private var isCall: Bool {
    guard at > 0 else { return false }
    let before = text[at - 1]
    if before == space { return isBehindNumber || ["infix ", "prefix ", "postfix "].contains { ends($0) } }
    return Self.isIdentifier(before) || before == greater || before == close || before == UInt8(ascii: "?")
      || ["infix", "prefix", "postfix"].contains { ends($0) }
  }

  /// `closure #1 (Swift.Int)`, `helper #1 (Swift.Int)`
  private var isBehindNumber: Bool {
    var place = at - 2
    if text[..<max(0, at - 1)].suffix(20).contains(UInt8(ascii: "@")) {
      while place >= 0, text[place] != space { place -= 1 }
      let end = place
      place -= 1
      while place >= 0, (48...57).contains(text[place]) { place -= 1 }
      return place >= 0 && place + 1 < end && text[place] == UInt8(ascii: "#")
    }
    while place >= 0, (48...57).contains(text[place]) { place -= 1 }
    return place >= 0 && place < at - 2 && text[place] == UInt8(ascii: "#")
  }

  private var isClosure: Bool {
    output.count >= 9 && String(decoding: output.suffix(24), as: UTF8.self).contains("closure #")
  }

  /// `(discount: Swift.Int, Swift.Int)` → `(discount:_:)`
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

  /// `<A where A: Swift.P>` stays as its parameters.
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
    var short = SimplifiedName(Array(list.utf8))
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

  /// The place of the bracket that closes the one at `start`; nil when there is none. `->` closes nothing.
  private func closing(_ start: Int) -> Int? {
    var depth = 0
    for place in start..<text.count {
      switch text[place] {
      case open, less, UInt8(ascii: "["): depth += 1
      case greater where place > 0 && text[place - 1] == UInt8(ascii: "-"): break
      case close, greater, UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return place }
      default: break
      }
    }
    return nil
  }

  /// What commas separate between two places, brackets respected; nothing for nothing.
  private func parts(_ start: Int, _ end: Int) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var depth = 0
    var first = start
    for place in start..<end {
      switch text[place] {
      case open, less, UInt8(ascii: "["): depth += 1
      case greater where text[place - 1] == UInt8(ascii: "-"): break
      case close, greater, UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        // A hostile name may have two commas in a row.
        if first <= place { parts.append(text[first..<place]) }
        first = min(place + 2, end)
      default: break
      }
    }
    return first < end ? parts + [text[first..<end]] : parts
  }

  /// Goes over a type to what follows it: ` in ` and the entity around a closure, or the end.
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

  private func starts(_ word: String, at place: Int) -> Bool {
    place <= text.count && text[place...].starts(with: word.utf8)
  }

  private func ends(_ word: String) -> Bool { text[..<at].suffix(word.utf8.count).elementsEqual(word.utf8) }
}

extension String {
  /// What stands before the first `separator`, or all of it.
  fileprivate func components(before separator: String) -> String {
    let (text, word) = (Array(utf8), Array(separator.utf8))
    for place in text.indices where text[place...].starts(with: word) {
      return String(decoding: text[..<place], as: UTF8.self)
    }
    return self
  }
}
