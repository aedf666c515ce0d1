/// The splitting of a text into JSON documents, one per line or one after another.
public enum JSONDocuments {
  /// The byte range of the first document at or after `start`; nil when only white space is left.
  ///
  /// Only brackets are checked: text that is not JSON becomes a range that the parser rejects. A byte order mark before
  /// a document is skipped, because joined files may contain one.
  public static func next(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
    var first = start
    while first < bytes.count {
      let end = isSpace(bytes[first]) ? first + 1 : endOfByteOrderMark(in: bytes, at: first)
      if end == first { break }
      first = end
    }
    guard first < bytes.count else { return nil }
    let isContainer = bytes[first] == UInt8(ascii: "{") || bytes[first] == UInt8(ascii: "[")
    return first..<(isContainer ? endOfContainer(in: bytes, from: first) : endOfLine(in: bytes, from: first))
  }

  /// The index after UTF-8's byte order mark (EF BB BF) if there is one at `start`, else `start`.
  public static func endOfByteOrderMark(in bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
    let isMark =
      bytes.count - start >= 3 && bytes[start] == 0xEF && bytes[start + 1] == 0xBB && bytes[start + 2] == 0xBF
    return isMark ? start + 3 : start
  }

  private static func endOfContainer(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var depth = 0
    var at = start
    while true {
      at = first(in: bytes, from: at) { word in
        // With this bit, square brackets become curly ones.
        let lower = word | ones &* 0x20
        return marks(of: "\"", word) | marks(of: "{", lower) | marks(of: "}", lower)
      }
      guard at < bytes.count else { return bytes.count }
      switch bytes[at] {
      case UInt8(ascii: "\""): at = closingQuote(in: bytes, from: at)
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      default:
        depth -= 1
        if depth == 0 { return at + 1 }
      }
      at += 1
    }
  }

  private static func closingQuote(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var at = start + 1
    while true {
      at = first(in: bytes, from: at) { marks(of: "\"", $0) | marks(of: "\\", $0) }
      guard at < bytes.count, bytes[at] == UInt8(ascii: "\\") else { return at }
      at += 2
    }
  }

  /// The index of the first byte at or after `start` that `marks` marks in a word of eight bytes; the end if there is
  /// none.
  @inline(__always)
  private static func first(
    in bytes: UnsafeRawBufferPointer, from start: Int, _ marks: (UInt64) -> UInt64
  ) -> Int {
    var at = start
    while at < bytes.count {
      let word =
        at + 8 <= bytes.count
        ? UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) : bytes.lastWord(from: at)
      let found = marks(word)
      if found != 0 { return at + found.trailingZeroBitCount / 8 }
      at += 8
    }
    return bytes.count
  }

  /// The upper bit of the first byte with this value, and perhaps bits above it; 0 if the word has no such byte (Sean
  /// Eron Anderson, "Bit Twiddling Hacks").
  @inline(__always)
  private static func marks(of character: Unicode.Scalar, _ word: UInt64) -> UInt64 {
    let bits = word ^ (ones &* UInt64(UInt8(ascii: character)))
    return (bits &- ones) & ~bits & (ones &* 0x80)
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101

  private static func endOfLine(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D
  }
}
