/// Reduces a demangled name to the function in the source. The result does not depend on the demangler.
enum FunctionName {
  /// The name without compiler additions and without parts that demanglers write differently: thunks, specialisations,
  /// closures, resumed parts, types, modules. Nil if no part of it is from the source.
  ///
  ///     closure #1 (Swift.Int) -> () in Shop.CartViewController.checkout() -> ()   CartViewController.checkout()
  ///     generic specialization <Shop.Item> of Shop.List.remove<A>(at: Int) -> A     List.remove(at:)
  ///     __33-[CartViewController checkout]_block_invoke_2                           -[CartViewController checkout]
  static func plain(_ name: String, module: String = "") -> String? {
    var text = (name.utf8.count <= longestName ? name : String(name.prefix(longestName))).bytes
    if isHelper(text) { return nil }
    while let shorter = withoutPrefix(text) { text = shorter }
    text = block(text)
    if text.isEmpty || isHelper(text) { return nil }
    if text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") { return text.text }
    let plain = CPlusPlusName.plain(text) ?? withoutModule(withoutTypes(text), module).text
    return plain.isEmpty ? nil : plain
  }

  /// The length to which a name is cut, in characters.
  private static let longestName = 2000

  /// Whether a function only forwards a failure or a call. Its caller is then the cause.
  private static func isHelper(_ name: ArraySlice<UInt8>) -> Bool {
    helpers.matches(name) || exactly.contains { name.elementsEqual($0) }
  }

  /// Whether a function is the entry point of a program.
  static func isEntry(_ name: String) -> Bool {
    if name == "main" || name == "_main" || name == "start" { return true }
    // Called for every frame of the app, so most names must be excluded without a copy.
    let hasDollar = name.utf8.withContiguousStorageIfAvailable { $0.contains(UInt8(ascii: "$")) } ?? true
    return hasDollar && name.bytes.contains("$main")
      || name.utf8.starts(with: "static ".utf8) && name.bytes.contains(".main()")
  }

  /// Whether a function waits for work.
  static func isIdle(_ name: String) -> Bool {
    // Called for every frame, so most names must be excluded without hashing.
    waiting.matches(name.utf8) && (name.utf8.starts(with: "mach_msg".utf8) || idle.contains(name))
  }

  private static let idle: Set<String> = [
    "__workq_kernreturn", "__psynch_cvwait", "kevent", "kevent_id", "kevent_qos", "__select",
    "semaphore_timedwait_trap",
    "__semwait_signal", "_pthread_wqthread_idle",
  ]
  private static let waiting = NamePrefixSet(idle + ["mach_msg"])

  private static let exactly = ["abort", "<compiler-generated>", "<deduplicated_symbol>"].map { Array($0.utf8) }

  private static let helpers = NamePrefixSet([
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
  ])

  private static let prefixes = NamePrefixSet([
    "specialized ", "merged ", "partial apply forwarder for ", "partial apply for ", "@objc ", "@nonobjc ",
    "variable initialization expression of ", "static ", "async function pointer to ", "key path getter for ",
    "inlined ", "one-time initialization function for ",
  ])

  /// Prefixes that are followed by ` of ` and the name.
  private static let prefixesOf = NamePrefixSet([
    "generic specialization ", "generic partial specialization ", "function signature specialization ",
    "generic not re-abstracted specialization ", "default argument ",
  ])

  /// Prefixes that are followed by ` in ` and the name.
  private static let prefixesIn = NamePrefixSet(["closure #", "implicit closure #", "defer #"])

  /// The name without the compiler's prefix; nil if it has none.
  private static func withoutPrefix(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    if text.first == UInt8(ascii: "(") {
      let isExtension = text.starts(with: "(extension in ")
      let end =
        text.range(of: " await resume partial function for ")
        ?? text.range(of: " suspend resume partial function for ") ?? (isExtension ? text.range(of: "):") : nil)
      return end.map { text[$0.upperBound...] }
    }
    if let length = prefixes.length(in: text) { return text.dropFirst(length) }
    if let length = prefixesOf.length(in: text) { return after(" of ", text.dropFirst(length)) }
    return prefixesIn.length(in: text).map { after(" in ", text.dropFirst($0)) }
  }

  /// The text after the first `word` outside brackets; the whole text if there is none. `word` starts with a space.
  private static func after(_ word: StaticString, _ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">"): if index == text.startIndex || text[index - 1] != UInt8(ascii: "-") { depth -= 1 }
      case UInt8(ascii: " ") where depth <= 0 && text[index...].starts(with: word):
        return text[(index + word.utf8CodeUnitCount)...]
      default: break
      }
    }
    return text
  }

  /// The method that contains an Objective-C block. Other names lose the suffixes that the compiler adds.
  private static func block(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text
    if text.starts(with: "__"), let found = text.range(of: "_block_invoke") {
      text = text[..<found.lowerBound].dropFirst(2).drop { (48...57).contains($0) }
    }
    for mark in marks { if let found = text.range(of: mark) { text = text[..<found.lowerBound] } }
    return text
  }

  private static let marks: [StaticString] = [
    ".resume.", ".cold.", ".llvm.", ".__uniq.", " + ", " [inlined]", " (.resume", " (.cold",
  ]

  /// The name without types: `List.remove<A>(at: Int) -> A` becomes `List.remove(at:)`. Operators keep their `<`.
  private static func withoutTypes(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var written: [UInt8] = []
    var round = 0
    var angle = 0
    var index = text.startIndex
    var word: [UInt8] = []
    while index < text.endIndex {
      let byte = text[index]
      if byte == UInt8(ascii: " "), round == 0, angle == 0 { break }
      defer { index += 1 }
      switch byte {
      case UInt8(ascii: "<") where isIdentifier(written.last): angle += 1
      case UInt8(ascii: "<") where angle > 0: angle += 1
      case UInt8(ascii: ">") where angle > 0: if text[index - 1] != UInt8(ascii: "-") { angle -= 1 }
      case _ where angle > 0: break
      case UInt8(ascii: "("):
        round += 1
        word = []
        if round == 1 { written.append(byte) }
      case UInt8(ascii: ")"):
        round -= 1
        if round == 0 { written.append(byte) }
        if round < 0 { return written[...] }
      case UInt8(ascii: ":") where round == 1 && !word.isEmpty && isLabelEnd(text, index):
        written += word + [byte]
        word = []
      case UInt8(ascii: " "), UInt8(ascii: ","): word = []
      default: if round > 0 { word.append(byte) } else { written.append(byte) }
      }
    }
    return privateName(written[...], in: text)
  }

  /// The name of a private function, which is in brackets: `(open in _3F2A…)`.
  private static func privateName(_ written: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.contains(UInt8(ascii: "(")), let mark = text.range(of: " in _"),
      let open = text[..<mark.lowerBound].lastIndex(of: UInt8(ascii: "(")),
      let close = text[mark.upperBound...].firstIndex(of: UInt8(ascii: ")"))
    else { return written }
    return withoutTypes(text[..<open] + text[(open + 1)..<mark.lowerBound] + text[(close + 1)...])
  }

  /// Whether a colon ends a label. Two colons are C++'s `::`.
  private static func isLabelEnd(_ text: ArraySlice<UInt8>, _ index: Int) -> Bool {
    let colon = UInt8(ascii: ":")
    let next = index + 1 < text.endIndex ? text[index + 1] : 0
    return next != colon && (index == text.startIndex || text[index - 1] != colon)
  }

  private static func isIdentifier(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95 || byte > 127
      || byte == UInt8(ascii: ")")
  }

  /// The function's name without its module, which only some demanglers write.
  private static func withoutModule(_ text: ArraySlice<UInt8>, _ module: String) -> ArraySlice<UInt8> {
    var text = text
    for first in [module, "Swift", "__C"] where !first.isEmpty {
      let length = first.utf8.count
      if text.count > length + 1, text.starts(with: first.utf8), text[text.startIndex + length] == UInt8(ascii: ".") {
        text = text.dropFirst(length + 1)
      }
    }
    return text.starts(with: "static ") ? text.dropFirst(7) : text
  }
}
