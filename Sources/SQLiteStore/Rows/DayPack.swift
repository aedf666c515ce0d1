import Core
import Foundation
import Statistics
import Storage

/// The key of a row in `day_pack`: a slice, a day and a source in one integer, which is the row's id. Packs of a slice
/// are consecutive by day.
struct PackKey: Hashable, Comparable {
  let id: Int64

  init(id: Int64) { self.id = id }

  /// Nil for numbers that do not fit into a key.
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

  /// The key of the row that a series of the pack would have if it were stored as a row.
  func row(_ series: SeriesKey) -> RowKey {
    RowKey(slice: slice, metric: series.metric, bin: TimeBin(day), label: series.label, source: source)
  }

  static func < (left: PackKey, right: PackKey) -> Bool { left.id < right.id }
}

/// A series within a pack.
struct SeriesKey: Hashable, Comparable {
  var metric: Int64
  var label: Int64

  static func < (left: SeriesKey, right: SeriesKey) -> Bool {
    left.metric == right.metric ? left.label < right.label : left.metric < right.metric
  }
}

/// The sorted series of a pack. Aggregates are in one array per kind, because a flush merges millions of them.
struct DayPack {
  private var keys: [SeriesKey] = []
  private var places: [Place] = []
  private var counters: [CounterSum] = []
  private var distributions: [Histogram] = []
  private var pairs: [RatioMoments] = []
  var received = 0
  /// The index after the series that was added last. Payloads list their series in the same order.
  private var next = 0

  /// The place of a series' aggregate: the array and the index in it.
  private enum Place {
    case counter(Int32)
    case distribution(Int32)
    case pair(Int32)
  }

  /// The version of the encoding.
  static let version: UInt8 = 1

  var count: Int { keys.count }

  mutating func reserve(_ count: Int) {
    keys.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  /// Adds an aggregate. If the series has another kind, or the aggregate is of sessions or users, nothing changes.
  mutating func add(_ aggregate: Aggregate, to key: SeriesKey) {
    let index = index(of: key)
    next = index + 1
    guard index < keys.count, keys[index] == key else { return insert(aggregate, key, at: index) }
    switch (places[index], aggregate) {
    case (.counter(let place), .counter(let sum)): counters[Int(place)] = counters[Int(place)].merged(with: sum)
    case (.distribution(let place), .distribution(let values)): distributions[Int(place)].merge(values)
    case (.pair(let place), .pair(let sum)): pairs[Int(place)].merge(sum)
    default: break
    }
  }

  /// Adds all series of another pack.
  mutating func merge(_ other: DayPack) {
    received = max(received, other.received)
    for index in other.keys.indices { add(other.aggregate(at: index), to: other.keys[index]) }
  }

  private mutating func insert(_ aggregate: Aggregate, _ key: SeriesKey, at index: Int) {
    switch aggregate {
    case .counter(let sum):
      places.insert(.counter(Int32(counters.count)), at: index)
      counters.append(sum)
    case .distribution(let values):
      places.insert(.distribution(Int32(distributions.count)), at: index)
      distributions.append(values)
    case .pair(let sum):
      places.insert(.pair(Int32(pairs.count)), at: index)
      pairs.append(sum)
    case .sessions, .users: return
    }
    keys.insert(key, at: index)
  }

  private func aggregate(at index: Int) -> Aggregate {
    switch places[index] {
    case .counter(let place): .counter(counters[Int(place)])
    case .distribution(let place): .distribution(distributions[Int(place)])
    case .pair(let place): .pair(pairs[Int(place)])
    }
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

  /// The stored form of the pack.
  var encoded: Data {
    var encoder = PackEncoder()
    encode(with: nil, by: &encoder)
    return Data(encoder.writer.bytes)
  }

  /// Encodes these series together with those of a stored pack; see `PackEncoder`.
  func encode(with stored: UnsafeRawBufferPointer?, by encoder: inout PackEncoder) {
    encoder.begin(stored)
    for index in keys.indices { encoder.add(aggregate(at: index), to: keys[index]) }
    encoder.end()
  }
}

/// An encoder that writes series in order, together with those of a stored pack.
struct PackEncoder: ~Copyable {
  private(set) var writer = ByteWriter(reserving: 4096)
  private var reader: PackReader?
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
    writer.byte(DayPack.version)
    reader = stored.map(PackReader.init)
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
    if let known = old, known.key == key {
      do { try aggregate.encode(mergedWith: known.body, into: &writer) } catch {
        damaged.append((key, [UInt8](known.body)))
        aggregate.encode(into: &writer)
      }
      old = reader?.next()
    } else {
      aggregate.encode(into: &writer)
    }
    writer.insert(count: writer.count - start, at: start)
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

/// A reader of a stored pack's series in order, without decoding them.
struct PackReader {
  private var reader: ByteReader
  /// Whether the pack is truncated or not sorted.
  private(set) var isDamaged = false
  private var last: SeriesKey?
  private let bytes: UnsafeRawBufferPointer
  /// The start of the next series.
  private var start = 0

  /// The bytes from the first series that was not returned.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[start...]) }

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
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
      start = bytes.count - reader.remaining
      return (key, body)
    } catch {
      isDamaged = true
      return nil
    }
  }

  /// Passes every series of a pack to `body`. Returns the damaged series with their bytes; metric 0 stands for the rest
  /// of a pack whose series cannot be separated.
  static func forEachSeries(
    of pack: UnsafeRawBufferPointer, _ body: (SeriesKey, Aggregate) throws -> Void
  ) rethrows -> [(key: SeriesKey, bytes: [UInt8])] {
    var damaged: [(key: SeriesKey, bytes: [UInt8])] = []
    var packs = PackReader(pack)
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
