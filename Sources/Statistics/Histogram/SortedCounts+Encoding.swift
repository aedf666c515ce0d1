import Bytes

extension SortedCounts where Entry == Bin {
  /// How many, then for each the distance to the index before it and the count.
  func encode(into writer: inout ByteWriter) {
    writer.count(entries.count)
    var previous: Int64 = 0
    for bin in entries {
      writer.signed(Int64(bin.index) - previous)
      writer.count(bin.count)
      previous = Int64(bin.index)
    }
  }

  init(from reader: inout ByteReader, indices: ClosedRange<Int32>) throws(DamagedBytes) {
    let total = try reader.count()
    guard total <= reader.remaining / 2 else { throw reader.damage }
    var entries: [Bin] = []
    entries.reserveCapacity(total)
    var previous: Int64 = 0
    for position in 0..<total {
      let distance = try reader.signed()
      let (sum, overflow) = previous.addingReportingOverflow(distance)
      guard !overflow, position == 0 || distance > 0, let index = Int32(exactly: sum), indices.contains(index) else {
        throw reader.damage
      }
      entries.append(Bin(index: index, count: try reader.positiveCount()))
      previous = sum
    }
    self.init(sorted: entries)
  }
}
