internal import Core

/// Comparisons of ASCII protocol text, independent of the locale.
enum ASCII {
  /// Whether two texts are equal, ignoring letter case.
  static func equal(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lower($0) == lower($1) }
  }

  /// Whether a part of a text equals a lower-case text, ignoring letter case.
  static func equal(_ part: Substring.UTF8View, _ lowercased: StaticString) -> Bool {
    part.withContiguousStorageIfAvailable { equal(UnsafeRawBufferPointer($0), lowercased) }
      ?? part.elementsEqual(lowercased.description.utf8) { lower($0) == $1 }
  }

  /// Whether bytes equal a lower-case text, ignoring letter case.
  static func equal(_ bytes: UnsafeRawBufferPointer, _ lowercased: StaticString) -> Bool {
    guard bytes.count == lowercased.utf8CodeUnitCount else { return false }
    for index in 0..<bytes.count where lower(bytes[index]) != lowercased.utf8Start[index] { return false }
    return true
  }

  /// The text without the trailing spaces and tabs, which libmicrohttpd leaves on header values (RFC 9110 §5.5).
  static func trimmedText(_ bytes: UnsafeRawBufferPointer) -> String {
    var count = bytes.count
    while count > 0, bytes[count - 1] == 0x20 || bytes[count - 1] == 0x09 { count -= 1 }
    return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<count]), as: UTF8.self).streamSafe
  }

  static func lower(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
