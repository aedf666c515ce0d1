import Bytes
import Storage
import Telemetry

/// The key of a row of `day_pack`: a slice, a day and a source in one integer, which is the row's id. Packs of a slice
/// follow one another by day.
struct PackKey: Hashable, Comparable {
  let id: Int64

  init(id: Int64) { self.id = id }

  /// The key, nil for numbers that do not fit into it.
  init?(slice: Int64, day: CalendarDay, source: UInt8) {
    guard slice > 0, slice < 1 << 36, Self.days.contains(day.number), source < 16 else { return nil }
    id = Self.first(of: slice, from: day) | Int64(source)
  }

  /// The days that fit into a key.
  private static let days = -(1 << 20)..<3 << 20

  /// The lowest id of a slice's packs from a day on.
  static func first(of slice: Int64, from day: CalendarDay) -> Int64 {
    let number = min(max(day.number, days.lowerBound), days.upperBound)
    return slice << 26 + Int64(number - days.lowerBound) << 4
  }

  /// All ids of a slice's packs.
  static func ids(of slice: Int64) -> Range<Int64> { slice << 26..<(slice + 1) << 26 }

  var slice: Int64 { id >> 26 }
  var day: CalendarDay { CalendarDay(number: Int(id >> 4 & (1 << 22 - 1)) + Self.days.lowerBound) }
  var source: UInt8 { UInt8(truncatingIfNeeded: id & 15) }

  /// The key of the row that a series of the pack would have on its own.
  func row(_ series: SeriesKey) -> RowKey {
    RowKey(slice: slice, metric: series.metric, bin: TimeBin(day), label: series.label, source: source)
  }

  static func < (left: PackKey, right: PackKey) -> Bool { left.id < right.id }
}

/// A series within a pack.
struct SeriesKey: Hashable, Comparable {
  let metric: Int64
  let label: Int64

  static func < (left: SeriesKey, right: SeriesKey) -> Bool {
    left.metric == right.metric ? left.label < right.label : left.metric < right.metric
  }
}

/// The series of a pack, sorted.
struct DayPack {
  private(set) var keys: [SeriesKey] = []
  private(set) var aggregates: [Aggregate] = []
  var received = 0
  /// The index behind the series that was added last. Payloads name their series in one order.
  private var next = 0

  /// The version of the encoding.
  static let version: UInt8 = 1

  var count: Int { keys.count }

  mutating func add(_ aggregate: Aggregate, to key: SeriesKey) {
    let index = index(of: key)
    if index < keys.count, keys[index] == key {
      aggregates[index].merge(aggregate)
    } else {
      keys.insert(key, at: index)
      aggregates.insert(aggregate, at: index)
    }
    next = index + 1
  }

  /// The index of the first series that does not precede `key`.
  private func index(of key: SeriesKey) -> Int {
    if next < keys.count, keys[next] == key { return next }
    var (low, high) = (0, keys.count)
    if next == high, next == 0 || keys[next - 1] < key { return next }
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Encodes these series together with those of a stored pack, and returns the damaged ones of those, which are
  /// replaced. `scratch` is memory for one series.
  func encode(
    into writer: inout ByteWriter, with stored: UnsafeRawBufferPointer?, scratch: inout ByteWriter
  ) -> [SeriesKey] {
    writer.byte(Self.version)
    guard let stored else {
      for index in keys.indices { Self.write(keys[index], aggregates[index], into: &writer, &scratch) }
      return []
    }
    var damaged: [SeriesKey] = []
    var reader = PackReader(stored)
    var old = reader.next()
    for index in keys.indices {
      let key = keys[index]
      while let known = old, known.key < key {
        Self.write(known.key, known.body, into: &writer)
        old = reader.next()
      }
      var sum = aggregates[index]
      if let known = old, known.key == key {
        var body = ByteReader(known.body)
        if var merged = try? Aggregate(from: &body) {
          merged.merge(sum)
          sum = merged
        } else {
          damaged.append(key)
        }
        old = reader.next()
      }
      Self.write(key, sum, into: &writer, &scratch)
    }
    while let known = old {
      Self.write(known.key, known.body, into: &writer)
      old = reader.next()
    }
    if reader.isDamaged { damaged.append(SeriesKey(metric: 0, label: 0)) }
    return damaged
  }

  private static func write(
    _ key: SeriesKey, _ aggregate: Aggregate, into writer: inout ByteWriter, _ scratch: inout ByteWriter
  ) {
    scratch.removeAll()
    aggregate.encode(into: &scratch)
    scratch.withBytes { write(key, $0, into: &writer) }
  }

  private static func write(_ key: SeriesKey, _ body: UnsafeRawBufferPointer, into writer: inout ByteWriter) {
    writer.varint(UInt64(bitPattern: key.metric))
    writer.varint(UInt64(bitPattern: key.label))
    writer.blob(body)
  }
}

/// Reads the series of a stored pack in order, without decoding them.
struct PackReader {
  private var reader: ByteReader
  /// Whether the pack ended before its last series did, or is not sorted.
  private(set) var isDamaged = false
  private var last: SeriesKey?

  init(_ bytes: UnsafeRawBufferPointer) {
    reader = ByteReader(bytes)
    isDamaged = (try? reader.byte()) != DayPack.version
  }

  mutating func next() -> (key: SeriesKey, body: UnsafeRawBufferPointer)? {
    guard !isDamaged, reader.remaining > 0 else { return nil }
    do {
      let key = SeriesKey(
        metric: Int64(truncatingIfNeeded: try reader.varint()), label: Int64(truncatingIfNeeded: try reader.varint()))
      let body = try reader.slice()
      if let last, !(last < key) { throw DamagedBytes(offset: 0) }
      last = key
      return (key, body)
    } catch {
      isDamaged = true
      return nil
    }
  }
}
