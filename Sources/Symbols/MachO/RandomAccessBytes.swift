/// Bytes that can be read in pieces from any place, so that no file has to be in memory as a whole.
protocol RandomAccessBytes {
  var count: Int { get }

  /// The bytes of `range`; nil when it does not lie within, or they cannot be read.
  func bytes(_ range: Range<Int>) -> [UInt8]?
}

extension RandomAccessBytes {
  /// `size` bytes at `offset`; nil when they do not lie within, whatever the two numbers are.
  func bytes(at offset: UInt64, _ size: UInt64) -> [UInt8]? {
    let (end, over) = offset.addingReportingOverflow(size)
    guard !over, end <= UInt64(count) else { return nil }
    return bytes(Int(offset)..<Int(end))
  }
}

/// Bytes in memory.
struct BytesInMemory: RandomAccessBytes {
  let all: [UInt8]

  var count: Int { all.count }

  func bytes(_ range: Range<Int>) -> [UInt8]? {
    range.lowerBound >= 0 && range.upperBound <= all.count ? Array(all[range]) : nil
  }
}
