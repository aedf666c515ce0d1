internal import Core
internal import Glibc

/// A part of a `.crash` report, as bytes in the memory of the body, which must stay valid.
///
/// A report may have a hundred thousand lines, and Swift's characters cost a hundred times more than bytes.
struct CrashText {
  let bytes: UnsafeBufferPointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  init(_ bytes: UnsafeRawBufferPointer) { self.init(bytes.bindMemory(to: UInt8.self)) }

  init(_ text: StaticString) { self.init(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) }

  var count: Int { bytes.count }

  /// The part from an offset to another one.
  subscript(range: Range<Int>) -> CrashText { CrashText(UnsafeBufferPointer(rebasing: bytes[range])) }

  subscript(range: PartialRangeFrom<Int>) -> CrashText { self[range.lowerBound..<count] }

  /// Whether the text begins with these bytes.
  @inline(__always)
  func begins(_ prefix: StaticString) -> Bool {
    guard count >= prefix.utf8CodeUnitCount, let base = bytes.baseAddress else { return false }
    return memcmp(base, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
  }

  /// Whether the text has these bytes.
  static func == (text: CrashText, other: StaticString) -> Bool {
    text.count == other.utf8CodeUnitCount && text.begins(other)
  }

  /// Allows a `switch` over a text with string literals as cases.
  static func ~= (pattern: StaticString, text: CrashText) -> Bool { text == pattern }

  /// The offset of the first byte with this value, from `start` on.
  func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    guard start < count, let base = bytes.baseAddress,
      let found = memchr(base + start, Int32(byte), count - start)
    else { return nil }
    return UnsafeRawPointer(base).distance(to: found)
  }

  /// The offset of the first occurrence of a word.
  func firstIndex(of word: StaticString) -> Int? {
    var start = 0
    while let at = firstIndex(of: word.utf8Start.pointee, from: start) {
      if self[at...].begins(word) { return at }
      start = at + 1
    }
    return nil
  }

  /// The text before the first byte with this value; all of it if there is none.
  func prefix(upTo byte: UInt8) -> CrashText { self[0..<(firstIndex(of: byte) ?? count)] }

  /// The text without surrounding white space.
  var bare: CrashText {
    var (start, end) = (0, count)
    while start < end, bytes[start] <= 0x20 { start += 1 }
    while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
    return self[start..<end]
  }

  /// The text without surrounding white space, cleaned and cut to 500 bytes.
  var name: String { SanitizedText.name(bare.bytes, atMost: 500) }

  /// Removes the next word, which spaces or tabs separate from others, and returns it; nil at the end of the text.
  mutating func word() -> CrashText? {
    var start = 0
    while start < count, Self.isBlank(bytes[start]) { start += 1 }
    guard start < count else { return nil }
    var end = start
    while end < count, !Self.isBlank(bytes[end]) { end += 1 }
    defer { self = self[end...] }
    return self[start..<end]
  }

  /// The lines without their line feeds. The last one is empty if the text ends with a line feed.
  var lines: Lines { Lines(rest: self) }

  struct Lines: Sequence, IteratorProtocol {
    fileprivate var rest: CrashText?

    mutating func next() -> CrashText? {
      guard let text = rest else { return nil }
      let end = text.firstIndex(of: UInt8(ascii: "\n"))
      rest = end.map { text[($0 + 1)...] }
      return text[0..<(end ?? text.count)]
    }
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension CrashText {
  /// The number of a hexadecimal address of up to 64 bits, such as `0x102a38000`.
  var address: UInt64? {
    guard (3...18).contains(count), begins("0x") else { return nil }
    var value: UInt64 = 0
    for digit in bytes.dropFirst(2) {
      switch digit {
      case 48...57: value = value << 4 | UInt64(digit - 48)
      case 65...70: value = value << 4 | UInt64(digit - 55)
      case 97...102: value = value << 4 | UInt64(digit - 87)
      default: return nil
      }
    }
    return value
  }

  /// A decimal number, such as `17624`.
  var decimal: UInt64? {
    guard count > 0 else { return nil }
    var value: UInt64 = 0
    for digit in bytes {
      guard (48...57).contains(digit) else { return nil }
      let (tens, isLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tens.addingReportingOverflow(UInt64(digit - 48))
      if isLarge || isLarger { return nil }
      value = sum
    }
    return value
  }

  /// A hexadecimal or decimal number, such as `0x8badf00d` or `11`.
  var number: UInt64? { address ?? decimal }
}
