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
