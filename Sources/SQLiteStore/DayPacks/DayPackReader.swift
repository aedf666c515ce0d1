import Core
import Storage

/// A reader of a stored pack's series in order, without decoding them.
struct DayPackReader {
  private var reader: ByteReader
  /// Whether the pack is truncated or not sorted.
  private(set) var isDamaged = false
  private var last: SeriesKey?
  private let bytes: UnsafeRawBufferPointer
  /// The start of the next series.
  private var start = 0
  /// The number of wanted metrics that `next(of:)` has passed.
  private var passed = 0

  /// The bytes from the first series that was not returned.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[start...]) }

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    reader = ByteReader(bytes)
    isDamaged = (try? reader.byte()) != DayPackSums.version
  }

  mutating func next() -> (key: SeriesKey, body: UnsafeRawBufferPointer)? {
    guard !isDamaged, reader.remaining > 0 else { return nil }
    do {
      let key = SeriesKey(
        metric: Int64(truncatingIfNeeded: try reader.varint()), label: Int64(truncatingIfNeeded: try reader.varint()))
      let body = try reader.slice()
      if let last, !(last < key) { throw DamagedBytes(offset: 0) }
      last = key
      start = bytes.count - reader.remaining
      return (key, body)
    } catch {
      isDamaged = true
      return nil
    }
  }

  /// The next series of one of the wanted metrics, which must be in ascending order and the same in every call; the next
  /// series of any metric if `wanted` is nil. What follows the last wanted metric is not read.
  mutating func next(of wanted: [Int64]?) -> (key: SeriesKey, body: UnsafeRawBufferPointer)? {
    guard let wanted else { return next() }
    while passed < wanted.count {
      skip(below: wanted[passed])
      guard let found = next() else { return nil }
      if found.key.metric == wanted[passed] { return found }
      while passed < wanted.count, wanted[passed] < found.key.metric { passed += 1 }
      if passed < wanted.count, wanted[passed] == found.key.metric { return found }
    }
    return nil
  }

  /// Skips series of lesser metrics. Their order is not checked beyond the metric.
  private mutating func skip(below metric: Int64) {
    guard !isDamaged else { return }
    var next = reader
    do {
      while next.remaining > 0 {
        guard Int64(truncatingIfNeeded: try next.varint()) < metric else { return }
        _ = try next.varint()
        try next.skip(try next.count())
        reader = next
      }
    } catch {
      isDamaged = true
    }
  }

  /// Passes every series of a pack to `body`. Returns the damaged series with their bytes; metric 0 stands for the rest
  /// of a pack whose series cannot be separated.
  static func forEachSeries(
    of pack: UnsafeRawBufferPointer, _ body: (SeriesKey, Aggregate) throws -> Void
  ) rethrows -> [(key: SeriesKey, bytes: [UInt8])] {
    var damaged: [(key: SeriesKey, bytes: [UInt8])] = []
    var packs = DayPackReader(pack)
    while let (key, bytes) = packs.next() {
      var reader = ByteReader(bytes)
      if let aggregate = try? Aggregate(from: &reader) {
        try body(key, aggregate)
      } else {
        damaged.append((key, [UInt8](bytes)))
      }
    }
    if packs.isDamaged { damaged.append((SeriesKey(metric: 0, label: 0), [UInt8](packs.rest))) }
    return damaged
  }
}
