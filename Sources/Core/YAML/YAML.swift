public import Yams

/// The YAML parser for all input, with a running time that is linear in the length of the text.
public enum YAML {
  /// The root of a document; nil if it is empty. Throws `Refusal` or `YamlError`.
  ///
  /// Aliases (`*name`, which repeats the value marked `&name`) are refused. Ten lines of aliases can expand to billions
  /// of values, and Yams visits each of them if it is a key of a mapping. Braces and brackets may be nested 100 levels
  /// deep, because a key is visited once for each mapping around it.
  public static func compose(_ text: String) throws -> Node? {
    if let refusal = refusal(of: text) { throw refusal }
    return try Yams.compose(yaml: text)
  }

  /// The error for a document that is not read, with the line and column, counted from 1.
  public struct Refusal: Error, CustomStringConvertible {
    public var line: Int
    public var column: Int
    public let description: String
  }

  private static let deepest = 100

  /// The first alias in a text that has an anchor (without one, libyaml refuses aliases itself), or the first brace that
  /// is nested too deep. Comments and quoted texts also count, because only libyaml can find their ends.
  private static func refusal(of text: String) -> Refusal? {
    var alias: Refusal?
    var hasAnchor = false
    var depth = 0
    var (line, column) = (1, 1)
    var before = UInt8(ascii: " ")
    let bytes = text.utf8
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      index = bytes.index(after: index)
      if byte == UInt8(ascii: "*") || byte == UInt8(ascii: "&"), startsToken(after: before),
        index < bytes.endIndex, isName(bytes[index])
      {
        let message = "aliases such as *name are not supported; write the value itself"
        if byte == UInt8(ascii: "&") {
          hasAnchor = true
        } else {
          alias = alias ?? Refusal(line: line, column: column, description: message)
        }
      }
      if "{[".utf8.contains(byte) { depth += 1 } else if "}]".utf8.contains(byte) { depth = max(0, depth - 1) }
      if depth > deepest {
        return Refusal(line: line, column: column, description: "values are nested more than \(deepest) levels deep")
      }
      if let alias, hasAnchor { return alias }
      before = byte
      // Columns count characters: the continuation bytes of a character are skipped.
      if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) } else if byte & 0xC0 != 0x80 { column += 1 }
    }
    return nil
  }

  /// Whether a YAML token can begin after this byte. Some line breaks and the byte order mark are not ASCII.
  private static func startsToken(after byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || byte >= 0x80 || "[{,:?".utf8.contains(byte)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
