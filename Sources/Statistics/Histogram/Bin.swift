/// So many samples in the bin of this index.
struct Bin: CountedEntry {
  var index: Int32
  var count: Int

  func precedes(_ other: Bin) -> Bool { index < other.index }
  func hasSameKey(as other: Bin) -> Bool { index == other.index }
}
