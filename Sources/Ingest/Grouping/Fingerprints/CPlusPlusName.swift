/// Reduces a demangled name of C++, Objective-C++ or Rust to its qualified name. Parameters, template arguments, return
/// type and qualifiers are removed. It takes one pass over the bytes, without recursion.
///
///     void shop::Cart::add<int>(int const&) const   shop::Cart::add()
///     <shop::Cart as core::fmt::Display>::fmt       <shop::Cart as core::fmt::Display>::fmt
struct CPlusPlusName {
  let text: [UInt8]
  var at = 0
  /// The parts of the name between `::`, outermost first.
  var parts: [String] = []
  var part: [UInt8] = []
  var hasParameters = false

  /// The reduced name; nil for a name of another language.
  static func plain(_ name: ArraySlice<UInt8>) -> String? {
    var name = name
    while let length = prefixes.length(in: name) { name = name.dropFirst(length) }
    guard isPossible(name) else { return nil }
    var reader = CPlusPlusName(text: Array(name))
    reader.read()
    return reader.result
  }

  init(text: [UInt8]) { self.text = text }

  private static let prefixes = NamePrefixSet([
    "invocation function for block in ", "non-virtual thunk to ", "virtual thunk to ",
  ])

  private mutating func read() {
    while at < text.count {
      switch text[at] {
      case Self.space:
        // The text so far was the return type, or `static`.
        parts = []
        part = []
        at += 1
      case Self.colon where at + 1 < text.count && text[at + 1] == Self.colon:
        endPart()
        at += 2
      case Self.less where part.isEmpty: if !readImplementation() { return }
      case Self.less, Self.bracket:
        guard let end = closing(at) else { return }
        at = end + 1
      case Self.brace, Self.apostrophe: if !readNameless() { return }
      case Self.open: if !readParameters() { return }
      default:
        if startsOperator {
          readOperator()
        } else {
          part.append(text[at])
          at += 1
        }
      }
    }
  }

  private mutating func endPart() {
    if !part.isEmpty { parts.append(String(decoding: part, as: UTF8.self)) }
    part = []
  }

  /// Reads `<shop::Cart as core::fmt::Display>` or `<impl shop::Cart>`, the type that a Rust function belongs to, and
  /// skips other arguments. Returns false at the end of the text.
  private mutating func readImplementation() -> Bool {
    guard let end = closing(at) else { return false }
    let inner = text[at + 1..<end]
    let isPlace =
      parts.isEmpty || inner.starts(with: "impl ") || inner.contains(" as ")
    if isPlace {
      var depth = 0
      for byte in text[at...end] {
        if byte == Self.less { depth += 1 }
        if depth <= 1 { part.append(byte) }
        if byte == Self.greater { depth -= 1 }
      }
    }
    at = end + 1
    return true
  }

  /// Reads an unnamed function: `{lambda(int)#1}`, `{closure#0}`, `{{closure}}`, `'lambda'(int)`.
  private mutating func readNameless() -> Bool {
    let start = at
    if text[at] == Self.brace {
      guard let end = closing(at) else { return false }
      at = end + 1
    } else {
      guard let end = text[(at + 1)...].firstIndex(of: Self.apostrophe) else { return false }
      at = end + 1
      if at < text.count, text[at] == Self.open, let end = closing(at) { at = end + 1 }
    }
    part += Self.mark + text[start..<min(at, start + 20)]
    return true
  }

  /// A byte that no name contains. It marks parts that the compiler generated.
  private static let mark: [UInt8] = [0]

  /// Skips parameters. They end the name unless a declaration inside the function follows. Returns false at the end of
  /// the name.
  private mutating func readParameters() -> Bool {
    let anonymous = Array("(anonymous namespace)".utf8)
    if part.isEmpty, text[at...].starts(with: anonymous) {
      part = anonymous
      at += anonymous.count
      return true
    }
    // In `void (*select<int>(int))(char)` the return type surrounds the name.
    if part.isEmpty, at + 1 < text.count, text[at + 1] == UInt8(ascii: "*") || text[at + 1] == UInt8(ascii: "&") {
      at += 2
      return true
    }
    guard let end = closing(at) else {
      hasParameters = true
      return false
    }
    at = end + 1
    if parts.isEmpty, part.isEmpty || Self.typeWords.contains(String(decoding: part, as: UTF8.self)) {
      part = []
      return true
    }
    while let word = Self.qualifiers.first(where: { text[at...].starts(with: $0.utf8) }) { at += word.utf8.count }
    guard at + 1 < text.count, text[at] == Self.colon, text[at + 1] == Self.colon else {
      hasParameters = true
      return false
    }
    return true
  }

  private static let typeWords: Set<String> = ["decltype", "typeof", "__typeof__"]
  private static let qualifiers = [" const", " volatile", " noexcept", " &&", " &"]

  /// The index of the bracket that closes the one at `start`; nil if there is none. Within parentheses, `<` and `>` may
  /// be operators.
  func closing(_ start: Int) -> Int? {
    var open: [UInt8] = []
    for index in start..<text.count {
      let byte = text[index]
      switch byte {
      case Self.open, Self.bracket, Self.brace: open.append(byte)
      case Self.less where open.last != Self.open || index == start || Self.isIdentifier(text[index - 1]):
        open.append(byte)
      case Self.greater where open.last == Self.less && text[index - 1] != UInt8(ascii: "-"): open.removeLast()
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        // A `<` without a counterpart was an operator.
        while open.last == Self.less { open.removeLast() }
        if open.popLast() == nil { return nil }
      default: break
      }
      if open.isEmpty { return index }
    }
    return nil
  }

  static func isIdentifier(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95 || byte > 127
      || byte == UInt8(ascii: "$")
  }

  static let space = UInt8(ascii: " ")
  private static let colon = UInt8(ascii: ":")
  static let less = UInt8(ascii: "<")
  private static let greater = UInt8(ascii: ">")
  static let open = UInt8(ascii: "(")
  private static let bracket = UInt8(ascii: "[")
  private static let brace = UInt8(ascii: "{")
  private static let apostrophe = UInt8(ascii: "'")
}

// MARK: The language

extension CPlusPlusName {
  /// Whether a name is C++ or Rust: it has `::`, an operator, or a template, whose name includes its return type. Swift
  /// names have none of these; their result types follow ` -> `.
  static func isPossible(_ name: ArraySlice<UInt8>) -> Bool {
    if name.contains("::") || name.starts(with: "decltype(") { return true }
    if name.starts(with: "operator"), name.count > 8, !isIdentifier(name[name.startIndex + 8]) { return true }
    guard let head = template(name), let space = head.lastIndex(of: space) else { return false }
    return !head[space...].contains(UInt8(ascii: ".")) && !name.contains(" -> ")
  }

  /// The text before template arguments that are directly before parameters, as in `int largest<int>(int)`; nil without
  /// template arguments.
  private static func template(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let open = name.firstIndex(of: Self.less), open > name.startIndex, isIdentifier(name[open - 1]) else {
      return nil
    }
    let walk = CPlusPlusName(text: Array(name[open...]))
    guard let end = walk.closing(0), end + 1 < walk.text.count, walk.text[end + 1] == Self.open else { return nil }
    return name[..<open]
  }
}

// MARK: Operators

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
      // Such as `operator< <int>`.
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

  /// Reads a conversion operator, whose name is its type: `operator unsigned long() const`.
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

// MARK: The result

extension CPlusPlusName {
  /// The reduced name. The containing function represents its closures, and Rust's build hash is removed.
  var result: String? {
    var parts = parts + (part.isEmpty ? [] : [String(decoding: part, as: UTF8.self)])
    if let last = parts.last, parts.count > 1, Self.isHash(last) { parts.removeLast() }
    while let last = parts.last, parts.count > 1 {
      let isCall = last == "operator()" && Self.isClosure(parts[parts.count - 2])
      guard isCall || Self.isClosure(last) else { break }
      parts.removeLast()
    }
    guard !parts.isEmpty else { return nil }
    let name = String(decoding: parts.joined(separator: "::").utf8.filter { $0 != 0 }, as: UTF8.self)
    return hasParameters ? name + "()" : name
  }

  private static func isClosure(_ part: String) -> Bool {
    part.utf8.first == 0 || (part.hasPrefix("$_") && part.utf8.dropFirst(2).allSatisfy { (48...57).contains($0) })
  }

  /// Whether a part is Rust's build hash, such as `h0123456789abcdef`.
  private static func isHash(_ part: String) -> Bool {
    part.utf8.count == 17 && part.utf8.first == UInt8(ascii: "h")
      && part.utf8.dropFirst().allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
