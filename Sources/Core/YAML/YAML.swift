public import Yams

/// The YAML parser for all input, with a running time that is linear in the length of the text.
public enum YAML {
  /// The root of a document; nil if it is empty. Throws `Alias` or `YamlError`.
  ///
  /// Aliases (`*name`, which repeats the value marked `&name`) are refused. Ten lines of aliases can expand to billions
  /// of values, and Yams visits each of them if it is a key of a mapping. libyaml limits nesting to 1,000 levels.
  public static func compose(_ text: String) throws -> Node? {
    if let alias = firstAlias(in: text) { throw alias }
    return try Yams.compose(yaml: text)
  }

  /// The error for a document with an alias, with its line and column, counted from 1.
  public struct Alias: Error, CustomStringConvertible {
    public var line: Int
    public var column: Int
    public var description: String { "aliases such as *name are not supported; write the value itself" }
  }

  /// The first alias in a text that has an anchor; without an anchor, libyaml refuses aliases itself. Comments and
  /// quoted texts also count, because only libyaml can find their ends.
  private static func firstAlias(in text: String) -> Alias? {
    var alias: Alias?
    var hasAnchor = false
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
        if byte == UInt8(ascii: "&") { hasAnchor = true } else { alias = alias ?? Alias(line: line, column: column) }
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
