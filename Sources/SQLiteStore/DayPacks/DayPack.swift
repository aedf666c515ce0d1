import Core
import Foundation
import Statistics
import Storage

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
    var encoder = DayPackEncoder()
    encode(with: nil, by: &encoder)
    return Data(encoder.writer.bytes)
  }

  /// Encodes these series together with those of a stored pack; see `DayPackEncoder`.
  func encode(with stored: UnsafeRawBufferPointer?, by encoder: inout DayPackEncoder) {
    encoder.begin(stored)
    for index in keys.indices { encoder.add(aggregate(at: index), to: keys[index]) }
    encoder.end()
  }
}
