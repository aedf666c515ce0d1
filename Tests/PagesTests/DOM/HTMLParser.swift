/// Reads a page as strictly as XML is read: every element is closed in order, every attribute is quoted and stands once,
/// every `&` begins an entity that `HTML` writes. A browser would mend a page that breaks these rules; a test must not.
struct HTMLParser {
  struct Failure: Error, CustomStringConvertible {
    var what: String
    /// The last bytes before it.
    var behind: String
    var description: String { "\(what), behind \"\(behind)\"" }
  }

  private let bytes: [UInt8]
  private var index = 0
  private var open: [Element] = []

  /// The root of `bytes`; its only child for a page is `html`.
  static func parse(_ bytes: [UInt8]) throws -> Element {
    var parser = HTMLParser(bytes: bytes)
    return try parser.root()
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func root() throws -> Element {
    let root = Element(name: "", attributes: [])
    open = [root]
    if starts("<!DOCTYPE html>\n") { index += 16 }
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "<"): try starts("</") ? close() : begin()
      default:
        let text = try text(until: UInt8(ascii: "<"))
        open.last?.append(.text(text))
      }
    }
    guard open.count == 1 else { throw failure("<\(open.last?.name ?? "")> is not closed") }
    return root
  }

  private mutating func begin() throws {
    index += 1
    let name = try self.name("an element")
    var attributes: [(name: String, value: String)] = []
    while true {
      guard let byte = current else { throw failure("<\(name) does not end") }
      if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") { break }
      try expect(" ")
      let attribute = try self.name("an attribute")
      guard !attributes.contains(where: { $0.name == attribute }) else {
        throw failure("<\(name)> has the attribute \(attribute) twice")
      }
      var value = ""
      if current == UInt8(ascii: "=") {
        try expect("=\"")
        value = try text(until: UInt8(ascii: "\""))
        try expect("\"")
      }
      attributes.append((attribute, value))
    }
    let element = Element(name: name, attributes: attributes)
    open.last?.append(.element(element))
    if current == UInt8(ascii: "/") { return try expect("/>") }
    try expect(">")
    open.append(element)
  }

  private mutating func close() throws {
    index += 2
    let name = try self.name("a closing tag")
    try expect(">")
    guard open.count > 1, open.last?.name == name else {
      throw failure("</\(name)> closes <\(open.last?.name ?? "")>")
    }
    open.removeLast()
  }

  private mutating func name(_ what: String) throws -> String {
    let start = index
    while let byte = current, Self.isNameByte(byte) { index += 1 }
    guard index > start else { throw failure("\(what) has no name") }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (97...122).contains(byte | 0x20) || (48...57).contains(byte) || byte == UInt8(ascii: "-")
  }

  private mutating func text(until end: UInt8) throws -> String {
    var unescaped: [UInt8] = []
    while let byte = current, byte != end {
      switch byte {
      case UInt8(ascii: "<"): throw failure("< stands in an attribute")
      case UInt8(ascii: ">"): throw failure("> is not escaped")
      case UInt8(ascii: "&"): unescaped.append(try entity())
      case 0..<9, 11, 12, 14..<32, 127: throw failure("a control character stands in the page")
      default:
        unescaped.append(byte)
        index += 1
      }
    }
    return String(decoding: unescaped, as: UTF8.self)
  }

  private static let entities: [(text: StaticString, byte: UInt8)] = [
    ("&amp;", UInt8(ascii: "&")), ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")),
    ("&quot;", UInt8(ascii: "\"")), ("&#39;", UInt8(ascii: "'")),
  ]

  private mutating func entity() throws -> UInt8 {
    for entity in Self.entities where starts(entity.text) {
      index += entity.text.utf8CodeUnitCount
      return entity.byte
    }
    throw failure("& begins no entity")
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func starts(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[index...].starts(with: $0) }
  }

  private mutating func expect(_ text: StaticString) throws {
    guard starts(text) else { throw failure("\(text) is missing") }
    index += text.utf8CodeUnitCount
  }

  private func failure(_ what: String) -> Failure {
    Failure(what: what, behind: String(decoding: bytes[max(0, index - 60)..<min(index, bytes.count)], as: UTF8.self))
  }
}
