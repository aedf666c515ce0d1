/// A string of a document, as bytes in the parser's memory. A Swift `String` is created only by calling `string`.
public struct BorrowedJSONString: Equatable {
  @usableFromInline let base: UnsafePointer<UInt8>
  /// The length of the text in bytes of UTF-8.
  public let count: Int

  @inlinable init(base: UnsafePointer<UInt8>, count: Int) {
    self.base = base
    self.count = count
  }

  /// The text's bytes, which are valid UTF-8. They are valid as long as the document is.
  @inlinable public var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

  /// Eight bytes of a document's text from `offset` on, which must not be greater than `count`. The first is the lowest
  /// byte of the word. Those after the text have any value; they can be read because simdjson reserves 64 bytes more
  /// than all strings need (its `dom::document::allocate`).
  @inlinable @inline(__always) public func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: Self.word(base + offset))
  }

  /// A copy of the text, which outlives the document, with a bounded number of combining marks in a row.
  @inlinable public var string: String { String(decoding: bytes, as: UTF8.self).streamSafe }

  /// Whether the text ends with `suffix`.
  @inlinable public func hasSuffix(_ suffix: StaticString) -> Bool {
    let size = suffix.utf8CodeUnitCount
    guard count >= size else { return false }
    return Self.areEqual(base + (count - size), suffix.utf8Start, size)
  }

  /// Whether two texts have the same bytes. Inlined, so that comparing with a literal becomes a few comparisons with
  /// constants.
  @inlinable @inline(__always) public static func == (text: BorrowedJSONString, other: StaticString) -> Bool {
    text.count == other.utf8CodeUnitCount && areEqual(text.base, other.utf8Start, text.count)
  }

  /// Whether two texts have the same bytes.
  @inlinable public static func == (text: BorrowedJSONString, other: [UInt8]) -> Bool {
    text.count == other.count
      && other.withUnsafeBufferPointer { other in
        other.baseAddress.map { areEqual(text.base, $0, text.count) } ?? true
      }
  }

  /// Allows a `switch` over a key with string literals as cases.
  @inlinable @inline(__always) public static func ~= (pattern: StaticString, text: BorrowedJSONString) -> Bool {
    text == pattern
  }

  // Compares eight or four bytes at a time; the last ones overlap those before. Keys of one object often begin alike, and
  // they are too short for a call of `memcmp` to pay off. Without a loop for most keys, so that comparing with a literal
  // becomes two comparisons with constants.
  @inlinable @inline(__always)
  static func areEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    if count >= 8 {
      guard word(left) == word(right), word(left + (count &- 8)) == word(right + (count &- 8)) else { return false }
      var index = 8
      while index &+ 8 < count {
        if word(left + index) != word(right + index) { return false }
        index &+= 8
      }
      return true
    }
    if count >= 4 {
      return half(left) == half(right) && half(left + (count &- 4)) == half(right + (count &- 4))
    }
    var index = 0
    while index < count {
      if left[index] != right[index] { return false }
      index &+= 1
    }
    return true
  }

  @inlinable static func half(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
    UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self)
  }

  @inlinable static func word(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)
  }

  /// A hash of the first and the last eight bytes, in its upper bits. Enough for a table that keeps few texts, each in
  /// one place, and compares them whole.
  @inlinable @inline(__always) public var hashOfEnds: UInt64 {
    let ends: (first: UInt64, last: UInt64)
    if count >= 8 {
      ends = (Self.word(base), Self.word(base + (count &- 8)))
    } else if count >= 4 {
      ends = (UInt64(Self.half(base)), UInt64(Self.half(base + (count &- 4))))
    } else {
      ends = (bytes.reduce(UInt64(count)) { $0 &<< 8 | UInt64($1) }, 0)
    }
    // Every bit of both words changes the upper bits.
    return (ends.first ^ (ends.last &* 0x9E37_79B9_7F4A_7C15)) &* 0xC4CE_B9FE_1A85_EC53
  }

  /// Whether two texts have the same bytes.
  @inlinable public static func == (text: BorrowedJSONString, other: BorrowedJSONString) -> Bool {
    text.count == other.count && areEqual(text.base, other.base, text.count)
  }

  /// Whether a text has the same bytes as a string.
  @inlinable public static func == (text: BorrowedJSONString, other: UnsafeBufferPointer<UInt8>) -> Bool {
    text.count == other.count && (other.baseAddress.map { areEqual(text.base, $0, text.count) } ?? true)
  }
}
