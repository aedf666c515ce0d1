/// Little-endian numbers and short texts at offsets that the caller has checked.
struct LittleEndianBytes {
  let bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  var count: Int { bytes.count }

  func part(_ offset: Int, _ size: Int) -> Self {
    let start = bytes.startIndex + offset
    return Self(bytes[start..<start + size])
  }

  func short(_ offset: Int) -> UInt16 { UInt16(truncatingIfNeeded: number(offset, 2)) }
  func word(_ offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(offset, 4)) }
  func wide(_ offset: Int) -> UInt64 { number(offset, 8) }

  /// The text up to the first zero byte, within `size` bytes.
  func text(_ offset: Int, _ size: Int) -> String {
    String(decoding: part(offset, size).bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  private func number(_ offset: Int, _ size: Int) -> UInt64 {
    let start = bytes.startIndex + offset
    return bytes[start..<start + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
