/// The quoting of texts in ClickHouse's SQL. Query parameters exist only since version 19.
enum ClickHouseQuoting {
  /// A text as an SQL literal. Everything that could end the literal is escaped.
  static func literal(_ text: String) -> String {
    var literal: [UInt8] = [UInt8(ascii: "'")]
    for byte in text.utf8 {
      switch byte {
      case 0: literal += [UInt8(ascii: "\\"), UInt8(ascii: "0")]
      case UInt8(ascii: "'"), UInt8(ascii: "\\"): literal += [UInt8(ascii: "\\"), byte]
      default: literal.append(byte)
      }
    }
    return String(decoding: literal + [UInt8(ascii: "'")], as: UTF8.self)
  }

  /// Several texts as the right-hand side of `IN`. There must be at least one.
  static func list(_ texts: some Collection<String>) -> String {
    precondition(!texts.isEmpty, "IN needs at least one value")
    return "(" + texts.map(literal).joined(separator: ", ") + ")"
  }
}
