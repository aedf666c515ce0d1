import Core
import Storage

/// An encoder that writes series in order, together with those of a stored pack.
struct DayPackEncoder: ~Copyable {
  private(set) var writer = ByteWriter(reserving: 4096)
  private var reader: DayPackReader?
  private var old: (key: SeriesKey, body: UnsafeRawBufferPointer)?
  private var isFull = false
  /// The damaged series of the stored pack, which were replaced, with their bytes. Metric 0 stands for the rest of a
  /// pack whose series cannot be separated.
  private(set) var damaged: [(key: SeriesKey, bytes: [UInt8])] = []
  /// The series that do not fit into the pack. They are stored as rows.
  private(set) var refused: [(key: SeriesKey, aggregate: Aggregate)] = []

  /// The size in bytes from which a stored pack accepts no more custom metrics, because retired names stay in it.
  private static let full = 32 << 10

  /// Starts a pack. `stored` must stay valid until the pack is finished.
  mutating func begin(_ stored: UnsafeRawBufferPointer?) {
    writer.removeAll()
    writer.byte(DayPackSums.version)
    reader = stored.map(DayPackReader.init)
    old = reader?.next()
    isFull = stored.map { $0.count > Self.full } ?? false
    damaged = []
    refused = []
  }

  mutating func add(_ aggregate: Aggregate, to key: SeriesKey) {
    while let known = old, known.key < key {
      write(known.body, to: known.key)
      old = reader?.next()
    }
    if isFull, key.metric >= StoredMetric.firstCustom, old?.key != key { return refused.append((key, aggregate)) }
    writeKey(key)
    let start = writer.count
    // Replaced by the length, which usually has the same size as before.
    writer.count(old?.key == key ? old?.body.count ?? 0 : 0)
    let content = writer.count
    if let known = old, known.key == key {
      do { try aggregate.encode(mergedWith: known.body, into: &writer) } catch {
        damaged.append((key, [UInt8](known.body)))
        aggregate.encode(into: &writer)
      }
      old = reader?.next()
    } else {
      aggregate.encode(into: &writer)
    }
    writer.insert(count: writer.count - content, at: start, over: content - start)
  }

  mutating func end() {
    while let known = old {
      write(known.body, to: known.key)
      old = reader?.next()
    }
    if let reader, reader.isDamaged { damaged.append((SeriesKey(metric: 0, label: 0), [UInt8](reader.rest))) }
    reader = nil
  }

  private mutating func write(_ body: UnsafeRawBufferPointer, to key: SeriesKey) {
    writeKey(key)
    writer.blob(body)
  }

  private mutating func writeKey(_ key: SeriesKey) {
    writer.varint(UInt64(bitPattern: key.metric))
    writer.varint(UInt64(bitPattern: key.label))
  }
}
