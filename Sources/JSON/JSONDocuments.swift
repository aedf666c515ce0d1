/// Cuts a text of several documents, one per line or one behind the other, into the documents.
public enum JSONDocuments {
  /// The byte range of the first document at or behind `start`; nil when only white space is left.
  ///
  /// Nothing is checked beyond the brackets: what is no JSON becomes a range that no parser accepts.
  public static func next(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
    guard let first = bytes[start...].firstIndex(where: { !isSpace($0) }) else { return nil }
    let isContainer = bytes[first] == UInt8(ascii: "{") || bytes[first] == UInt8(ascii: "[")
    return first..<(isContainer ? endOfContainer(in: bytes, from: first) : endOfLine(in: bytes, from: first))
  }

  private static func endOfContainer(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var depth = 0
    var at = start
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""): at = closingQuote(in: bytes, from: at)
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return at + 1 }
      default: break
      }
      at += 1
    }
    return bytes.count
  }

  private static func closingQuote(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var at = start + 1
    while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
      at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    return at
  }

  private static func endOfLine(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D
  }
}
