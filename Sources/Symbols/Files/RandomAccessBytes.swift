/// Bytes that can be read at any offset, without loading all of them into memory.
protocol RandomAccessBytes {
  var count: Int { get }

  /// The bytes of `range`; nil if it exceeds the bounds or reading fails.
  func bytes(_ range: Range<Int>) -> [UInt8]?
}

extension RandomAccessBytes {
  /// `size` bytes at `offset`; nil if they exceed the bounds. All values of both numbers are safe.
  func bytes(at offset: UInt64, _ size: UInt64) -> [UInt8]? {
    let (end, over) = offset.addingReportingOverflow(size)
    guard !over, end <= UInt64(count) else { return nil }
    return bytes(Int(offset)..<Int(end))
  }
}

/// Bytes in memory that can be read like a file.
struct BytesInMemory: RandomAccessBytes {
  let all: [UInt8]

  var count: Int { all.count }

  func bytes(_ range: Range<Int>) -> [UInt8]? {
    range.lowerBound >= 0 && range.upperBound <= all.count ? Array(all[range]) : nil
  }
}

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
