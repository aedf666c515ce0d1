import Core
import Statistics
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
    guard advance(to: key) else { return refused.append((key, aggregate)) }
    write(to: key) { (stored, writer) throws(DamagedBytes) in
      if let stored { try aggregate.encode(mergedWith: stored, into: &writer) } else { aggregate.encode(into: &writer) }
    }
  }

  /// Adds a counter, for which an `Aggregate` would have to be created.
  mutating func add(_ sum: CounterSum, to key: SeriesKey) {
    guard advance(to: key) else { return refused.append((key, .counter(sum))) }
    write(to: key) { (stored, writer) throws(DamagedBytes) in
      guard let stored else { return sum.encodeAggregate(into: &writer) }
      try sum.encodeAggregate(mergedWith: stored, into: &writer)
    }
  }

  /// Adds a distribution, which would be copied into an `Aggregate`.
  mutating func add(_ values: Histogram, to key: SeriesKey) {
    guard advance(to: key) else { return refused.append((key, .distribution(values))) }
    write(to: key) { (stored, writer) throws(DamagedBytes) in
      guard let stored else { return values.encodeAggregate(into: &writer) }
      try values.encodeAggregate(mergedWith: stored, into: &writer)
    }
  }

  /// Adds the series at a position of a cell's changes.
  mutating func add(_ series: CellSeries, at position: Int, to key: SeriesKey) {
    let name = (series.names[position].kind, series.names[position].index)
    switch name {
    case (.distribution, let index): series.distributions.withUnsafeBufferPointer { add($0[index], to: key) }
    case (.counter, let index): add(series.counters[index], to: key)
    case (.pair, let index): add(.pair(series.pairs[index]), to: key)
    }
  }

  /// Writes the stored series before `key`. Returns whether the pack accepts `key`.
  private mutating func advance(to key: SeriesKey) -> Bool {
    while let known = old, known.key < key {
      write(known.body, to: known.key)
      old = reader?.next()
    }
    return !isFull || key.metric < StoredMetric.firstCustom || old?.key == key
  }

  /// Writes a series by `encode`, which gets the stored one, if there is any.
  private mutating func write(
    to key: SeriesKey, _ encode: (UnsafeRawBufferPointer?, inout ByteWriter) throws(DamagedBytes) -> Void
  ) {
    let stored = old?.key == key ? old?.body : nil
    writeKey(key)
    let start = writer.count
    // Replaced by the length, which usually has the same size as before.
    writer.count(stored?.count ?? 0)
    let content = writer.count
    do { try encode(stored, &writer) } catch {
      if let stored { damaged.append((key, [UInt8](stored))) }
      // Encoding alone reads nothing, so it throws nothing.
      try? encode(nil, &writer)
    }
    if stored != nil { old = reader?.next() }
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
