public import Yams

/// How Plumb reads YAML, wherever it comes from: in time that grows with the length of the text.
public enum YAML {
  /// The root of a document; nil if it is empty. Throws `Alias` or `YamlError`.
  ///
  /// Aliases (`*name` for what `&name` marked) are refused. Ten lines of them stand for billions of values, and Yams looks at
  /// each of these where a mapping has such a key. Nesting ends at the 1,000 levels of libyaml.
  public static func compose(_ text: String) throws -> Node? {
    if let alias = firstAlias(in: text) { throw alias }
    return try Yams.compose(yaml: text)
  }

  /// The error of a document with an alias, with its place from 1.
  public struct Alias: Error, CustomStringConvertible {
    public var line: Int
    public var column: Int
    public var description: String { "aliases such as *name are not read here; write the value itself" }
  }

  /// The first alias in a text that also has an anchor: without one, libyaml refuses aliases itself. Comments and
  /// quoted texts count, too, because only libyaml knows where they end.
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
      // The bytes of a character after its first count for none.
      if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) } else if byte & 0xC0 != 0x80 { column += 1 }
    }
    return nil
  }

  /// Whether a token of YAML can begin behind this byte. Some line breaks and the byte order mark are not ASCII.
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
