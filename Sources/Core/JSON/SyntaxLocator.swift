/// A search for the byte at which a refused document stops being JSON (RFC 8259). simdjson does not report it, and the
/// error message needs it. It runs only after a failure.
struct SyntaxLocator {
  /// A syntax error: its byte offset and its description.
  struct Finding: Equatable {
    var offset: Int
    var problem: String
  }

  /// The tokens of JSON's grammar that may come next.
  private enum Expectation { case value, firstElement, firstKey, key, colon, separator }

  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  private var containers: [UInt8] = []

  private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The document's first syntax error; nil when none is found.
  static func locate(_ bytes: UnsafeRawBufferPointer) -> Finding? {
    var locator = SyntaxLocator(bytes: bytes)
    do throws(Offence) {
      try locator.document()
      return nil
    } catch {
      return Finding(offset: error.offset, problem: error.problem)
    }
  }

  private struct Offence: Error {
    var offset: Int
    var problem: String
  }

  private mutating func document() throws(Offence) {
    var expected = Expectation.value
    while true {
      skipSpace()
      guard let byte = peek else { throw offence("the document ends too early") }
      expected = try step(byte, expected)
      if expected == .separator, containers.isEmpty { break }
    }
    skipSpace()
    if peek != nil { throw offence("unexpected text after the document") }
  }

  private mutating func step(_ byte: UInt8, _ expected: Expectation) throws(Offence) -> Expectation {
    switch (expected, byte) {
    case (.firstElement, UInt8(ascii: "]")), (.firstKey, UInt8(ascii: "}")): return close()
    case (.value, _), (.firstElement, _): return try value(byte)
    case (.firstKey, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")):
      try string()
      return .colon
    case (.firstKey, _), (.key, _): throw offence("expected a key in quotes")
    case (.colon, UInt8(ascii: ":")):
      offset += 1
      return .value
    case (.colon, _): throw offence("expected a colon after the key")
    case (.separator, _): return try separator(byte)
    }
  }

  private mutating func separator(_ byte: UInt8) throws(Offence) -> Expectation {
    let isObject = containers.last == UInt8(ascii: "{")
    if byte == UInt8(ascii: isObject ? "}" : "]") { return close() }
    guard byte == UInt8(ascii: ",") else { throw offence("expected a comma or \(isObject ? "}" : "]")") }
    offset += 1
    return isObject ? .key : .value
  }

  private mutating func close() -> Expectation {
    offset += 1
    containers.removeLast()
    return .separator
  }

  private mutating func value(_ byte: UInt8) throws(Offence) -> Expectation {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      offset += 1
      containers.append(byte)
      return byte == UInt8(ascii: "{") ? .firstKey : .firstElement
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    default: throw offence("expected a value")
    }
    return .separator
  }

  private mutating func literal(_ word: StaticString) throws(Offence) {
    let end = offset + word.utf8CodeUnitCount
    guard end <= bytes.count, bytes[offset..<end].elementsEqual(word.description.utf8) else {
      throw offence("expected \(word)")
    }
    offset = end
  }

  private mutating func string() throws(Offence) {
    let start = offset
    offset += 1
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return
      case UInt8(ascii: "\\"): try escape()
      case 0..<0x20: throw offence("a control character in a string must be escaped")
      default: offset += 1
      }
    }
    throw Offence(offset: start, problem: "the string that starts here has no closing quote")
  }

  private mutating func escape() throws(Offence) {
    let start = offset
    offset += 1
    guard let byte = peek, "\"\\/bfnrtu".utf8.contains(byte) else {
      throw Offence(offset: start, problem: "unknown escape sequence")
    }
    offset += 1
    guard byte == UInt8(ascii: "u") else { return }
    for _ in 0..<4 {
      guard let digit = peek, "0123456789abcdefABCDEF".utf8.contains(digit) else {
        throw Offence(offset: start, problem: "\\u needs four hexadecimal digits")
      }
      offset += 1
    }
  }

  private mutating func number() throws(Offence) {
    let start = offset
    accept(UInt8(ascii: "-"))
    let whole = digits()
    guard whole > 0, whole == 1 || bytes[offset - whole] != UInt8(ascii: "0") else {
      throw Offence(offset: start, problem: "not a valid JSON number")
    }
    if accept(UInt8(ascii: ".")), digits() == 0 { throw offence("expected a digit after the decimal point") }
    if accept(UInt8(ascii: "e")) || accept(UInt8(ascii: "E")) {
      if !accept(UInt8(ascii: "+")) { accept(UInt8(ascii: "-")) }
      if digits() == 0 { throw offence("expected a digit in the exponent") }
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if Double(text)?.isFinite != true { throw Offence(offset: start, problem: "the number is too large") }
  }

  private mutating func digits() -> Int {
    let start = offset
    while let byte = peek, (48...57).contains(byte) { offset += 1 }
    return offset - start
  }

  @discardableResult
  private mutating func accept(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    offset += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D { offset += 1 }
  }

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func offence(_ problem: String) -> Offence { Offence(offset: offset, problem: problem) }
}

/// A search for the path of a container nested deeper than the parser's limit. simdjson does not report it, and the
/// error message needs it. It runs only after that failure and checks nothing else.
struct DepthLocator {
  private struct Container {
    let isObject: Bool
    var key = 0..<0
    var position = 0
    var expectsKey = true
  }

  /// The path of the container that exceeds `limit` levels, cut to `JSONPath.longest` bytes.
  static func path(in bytes: UnsafeRawBufferPointer, limit: Int) -> String {
    var open: [Container] = []
    var at = 0
    while at < bytes.count, open.count < limit {
      switch bytes[at] {
      case UInt8(ascii: "{"): open.append(Container(isObject: true))
      case UInt8(ascii: "["): open.append(Container(isObject: false))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
      case UInt8(ascii: ","):
        guard let last = open.indices.last else { break }
        open[last].position += 1
        open[last].expectsKey = true
      case UInt8(ascii: "\""):
        let start = at + 1
        at = endOfString(in: bytes, from: start)
        if let last = open.indices.last, open[last].expectsKey {
          open[last].key = start..<at
          open[last].expectsKey = false
        }
      default: break
      }
      at += 1
    }
    return path(of: open.dropLast(), bytes)
  }

  /// The index of the closing quote, or the end of the document if there is none.
  private static func endOfString(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var at = start
    while at < bytes.count, bytes[at] != UInt8(ascii: "\"") { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(at, bytes.count)
  }

  private static func path(of open: ArraySlice<Container>, _ bytes: UnsafeRawBufferPointer) -> String {
    var path = ""
    for container in open {
      if path.utf8.count >= JSONPath.longest { break }
      if container.isObject {
        path = JSONPath.member(String(decoding: bytes[container.key].prefix(400), as: UTF8.self), of: path)
      } else {
        path += "[\(container.position)]"
      }
    }
    return path
  }
}
