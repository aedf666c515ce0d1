/// Reduces a demangled name to the function in the source, independent of the demangler.
public enum FunctionName {
  /// The name without compiler additions and without parts that demanglers write differently: thunks, specialisations,
  /// closures, resumed parts, types, modules. Nil if nothing in it is from the source.
  ///
  ///     closure #1 (Swift.Int) -> () in Shop.CartViewController.checkout() -> ()   CartViewController.checkout()
  ///     generic specialization <Shop.Item> of Shop.List.remove<A>(at: Int) -> A     List.remove(at:)
  ///     __33-[CartViewController checkout]_block_invoke_2                           -[CartViewController checkout]
  public static func plain(_ name: String, module: String = "") -> String? {
    var text = Substring(name.prefix(2000))
    if isHelper(name) { return nil }
    while let shorter = withoutPrefix(text) { text = shorter }
    text = block(text)
    if text.isEmpty || isHelper(String(text)) { return nil }
    if text.first == "-" || text.first == "+" { return String(text) }
    return CPlusPlusName.plain(text) ?? String(withoutModule(withoutTypes(text), module))
  }

  /// Whether a function only passes on a failure or a call, so that its caller is the cause.
  public static func isHelper(_ name: String) -> Bool {
    helpers.contains { name.utf8.starts(with: $0.utf8) } || exactly.contains(name)
  }

  /// Whether a function is the entry point of a program.
  public static func isEntry(_ name: String) -> Bool {
    name == "main" || name == "_main" || name == "start"
      || name.utf8.contains(UInt8(ascii: "$")) && name.contains("$main")
      || (name.utf8.starts(with: "static ".utf8) && (name.contains(".main()")))
  }

  /// Whether a function waits for work.
  static func isIdle(_ name: String) -> Bool {
    name.utf8.starts(with: "mach_msg".utf8) || idle.contains(name)
  }

  private static let idle: Set<String> = [
    "__workq_kernreturn", "__psynch_cvwait", "kevent", "kevent_id", "kevent_qos", "__select",
    "semaphore_timedwait_trap",
    "__semwait_signal", "_pthread_wqthread_idle",
  ]

  private static let exactly: Set = ["abort", "<compiler-generated>", "<deduplicated_symbol>"]

  private static let helpers = [
    "Swift runtime failure", "_assertionFailure", "Swift._assertionFailure", "assertionFailure(",
    "Swift.assertionFailure",
    "fatalError(", "Swift.fatalError", "_fatalErrorMessage", "Swift._fatalErrorMessage", "preconditionFailure(",
    "Swift.preconditionFailure", "precondition(", "Swift.precondition(", "assert(", "Swift.assert(", "swift_fatalError",
    "swift_unexpectedError", "Swift._diagnoseUnexpected", "_diagnoseUnexpected", "swift_runtime_", "swift_release",
    "swift_retain", "swift_bridgeObject", "objc_msgSend", "objc_retain", "objc_release", "objc_storeStrong",
    "thunk for ",
    "reabstraction thunk", "dispatch thunk of", "protocol witness for", "outlined ", "merged thunk",
    "partial apply thunk",
    "autoreleased return", "_swift_stdlib", "__swift_", "abort(", "__assert_rtn", "__cxa_throw", "objc_exception_throw",
    "method lookup function", "lazy protocol witness", "type metadata accessor", "value witness", "destroy for ",
    "-[NSAssertionHandler", "+[NSException raise", "-[NSException raise", "__exceptionPreprocess",
  ]

  private static let prefixes = [
    "generic specialization ", "generic partial specialization ", "function signature specialization ", "specialized ",
    "merged ", "partial apply forwarder for ", "partial apply for ", "@objc ", "@nonobjc ", "closure #",
    "implicit closure #", "default argument ", "variable initialization expression of ", "static ",
    "async function pointer to ",
    "key path getter for ", "defer #", "inlined ", "generic not re-abstracted specialization ",
    "one-time initialization function for ",
  ]

  /// The name without the given prefix; nil when it does not start with it.
  private static func withoutPrefix(_ text: Substring) -> Substring? {
    for suffix in [" await resume partial function for ", " suspend resume partial function for "] {
      if text.utf8.first == UInt8(ascii: "("), let found = text.firstRange(of: suffix) {
        return text[found.upperBound...]
      }
    }
    if text.utf8.starts(with: "(extension in ".utf8), let found = text.firstRange(of: "):") {
      return text[found.upperBound...]
    }
    guard let prefix = prefixes.first(where: { text.utf8.starts(with: $0.utf8) }) else { return nil }
    let rest = text.dropFirst(prefix.count)
    switch prefix {
    case "closure #", "implicit closure #", "defer #": return after(" in ", rest)
    case let prefix where prefix.utf8.starts(with: "generic".utf8) || prefix.utf8.starts(with: "function sig".utf8):
      return after(" of ", rest)
    case "default argument ": return after(" of ", rest)
    default: return rest
    }
  }

  /// The text after the first `word` outside brackets; the whole text if there is none.
  private static func after(_ word: String, _ text: Substring) -> Substring {
    var depth = 0
    let bytes = text.utf8
    var index = bytes.startIndex
    while index < bytes.endIndex {
      switch bytes[index] {
      case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">"):
        if index == bytes.startIndex || bytes[bytes.index(before: index)] != UInt8(ascii: "-") { depth -= 1 }
      case UInt8(ascii: " ") where depth <= 0 && bytes[index...].starts(with: word.utf8):
        return text[bytes.index(index, offsetBy: word.utf8.count)...]
      default: break
      }
      index = bytes.index(after: index)
    }
    return text
  }

  /// The method that contains an Objective-C block; other names without the suffixes that the compiler adds.
  private static func block(_ text: Substring) -> Substring {
    var text = text
    if text.utf8.starts(with: "__".utf8), let found = text.firstRange(of: "_block_invoke") {
      text = text[..<found.lowerBound].dropFirst(2).drop { $0.isNumber }
    }
    for mark in [".resume.", ".cold.", ".llvm.", ".__uniq.", " + ", " [inlined]", " (.resume", " (.cold"] {
      if let found = text.firstRange(of: mark) { text = text[..<found.lowerBound] }
    }
    return text
  }

  /// The name without types: `List.remove<A>(at: Int) -> A` becomes `List.remove(at:)`. Operators keep their `<`.
  private static func withoutTypes(_ text: Substring) -> Substring {
    var written: [UInt8] = []
    var round = 0
    var angle = 0
    let bytes = Array(text.utf8)
    var index = 0
    var word: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: " "), round == 0, angle == 0 { break }
      defer { index += 1 }
      switch byte {
      case UInt8(ascii: "<") where isIdentifier(written.last): angle += 1
      case UInt8(ascii: "<") where angle > 0: angle += 1
      case UInt8(ascii: ">") where angle > 0: if bytes[index - 1] != UInt8(ascii: "-") { angle -= 1 }
      case _ where angle > 0: break
      case UInt8(ascii: "("):
        round += 1
        word = []
        if round == 1 { written.append(byte) }
      case UInt8(ascii: ")"):
        round -= 1
        if round == 0 { written.append(byte) }
        if round < 0 { return Substring(decoding: written, as: UTF8.self) }
      case UInt8(ascii: ":") where round == 1 && !word.isEmpty && isLabelEnd(bytes, index):
        written += word + [byte]
        word = []
      case UInt8(ascii: " "), UInt8(ascii: ","): word = []
      default: if round > 0 { word.append(byte) } else { written.append(byte) }
      }
    }
    return privateName(Substring(decoding: written, as: UTF8.self), in: text)
  }

  /// The name of a private function, which `(open in _3F2A…)` has in brackets.
  private static func privateName(_ written: Substring, in text: Substring) -> Substring {
    guard text.utf8.contains(UInt8(ascii: "(")), let mark = text.firstRange(of: " in _"),
      let open = text[..<mark.lowerBound].lastIndex(of: "("),
      let close = text[mark.upperBound...].firstIndex(of: ")")
    else { return written }
    let whole = text[..<open] + text[text.index(after: open)..<mark.lowerBound] + text[text.index(after: close)...]
    return withoutTypes(Substring(whole))
  }

  /// Whether a colon ends a label. Two colons are C++'s `::`.
  private static func isLabelEnd(_ bytes: [UInt8], _ index: Int) -> Bool {
    let colon = UInt8(ascii: ":")
    let next = index + 1 < bytes.count ? bytes[index + 1] : 0
    return next != colon && (index == 0 || bytes[index - 1] != colon)
  }

  private static func isIdentifier(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95 || byte > 127
      || byte == UInt8(ascii: ")")
  }

  /// The function's name without its module, which only some demanglers write.
  private static func withoutModule(_ text: Substring, _ module: String) -> Substring {
    var text = text
    for first in [module, "Swift", "__C"] where !first.isEmpty {
      if text.utf8.starts(with: (first + ".").utf8), text.utf8.count > first.utf8.count + 1 {
        text = text.dropFirst(first.count + 1)
      }
    }
    return text.utf8.starts(with: "static ".utf8) ? text.dropFirst(7) : text
  }
}

extension Substring {
  fileprivate init(decoding bytes: [UInt8], as codec: UTF8.Type) {
    self = Substring(String(decoding: bytes, as: codec))
  }
}
