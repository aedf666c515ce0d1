import Core

/// The number of samples in a bin.
struct Bin: CountedEntry {
  var index: Int32
  var count: Int

  func precedes(_ other: Bin) -> Bool { index < other.index }
  func hasSameKey(as other: Bin) -> Bool { index == other.index }

  func encode(after previous: Bin?, into writer: inout ByteWriter) {
    writer.signed(Int64(index) - Int64(previous?.index ?? 0))
    writer.count(count)
  }
}
