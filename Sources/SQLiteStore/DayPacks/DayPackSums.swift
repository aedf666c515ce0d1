import Core
import Foundation
import Statistics
import Storage

/// The sorted series of a pack. Aggregates are in one array per kind, because a flush merges millions of them.
struct DayPackSums {
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
    // Not in one switch with the place: a tuple of both would copy the aggregate.
    switch aggregate {
    case .counter(let sum): add(sum, to: key)
    case .distribution(let values): add(values, to: key)
    case .pair(let sum): add(sum, to: key)
    case .sessions, .users: break
    }
  }

  /// Adds a cell's series in the order of `order`.
  mutating func add(_ series: CellSeries, _ order: [(key: SeriesKey, index: Int)]) {
    if count == 0 { reserve(order.count) }
    series.distributions.withUnsafeBufferPointer { distributions in
      for (key, position) in order {
        let (kind, index) = (series.names[position].kind, series.names[position].index)
        switch kind {
        case .distribution: add(distributions[index], to: key)
        case .counter: add(series.counters[index], to: key)
        case .pair: add(series.pairs[index], to: key)
        }
      }
    }
  }

  /// Adds all series of another pack.
  mutating func merge(_ other: DayPackSums) {
    received = max(received, other.received)
    if count == 0 {
      (keys, places, next) = (other.keys, other.places, other.next)
      (counters, distributions, pairs) = (other.counters, other.distributions, other.pairs)
      return
    }
    other.distributions.withUnsafeBufferPointer { distributions in
      for (key, place) in zip(other.keys, other.places) {
        switch place {
        case .counter(let index): add(other.counters[Int(index)], to: key)
        case .distribution(let index): add(distributions[Int(index)], to: key)
        case .pair(let index): add(other.pairs[Int(index)], to: key)
        }
      }
    }
  }

  private mutating func add(_ sum: CounterSum, to key: SeriesKey) {
    switch place(of: key, orNew: .counter(Int32(counters.count))) {
    case nil: counters.append(sum)
    case .counter(let index)?: counters[Int(index)] = counters[Int(index)].merged(with: sum)
    case .distribution?, .pair?: break
    }
  }

  private mutating func add(_ values: Histogram, to key: SeriesKey) {
    switch place(of: key, orNew: .distribution(Int32(distributions.count))) {
    case nil: distributions.append(values)
    case .distribution(let index)?: distributions[Int(index)].merge(values)
    case .counter?, .pair?: break
    }
  }

  private mutating func add(_ sum: RatioMoments, to key: SeriesKey) {
    switch place(of: key, orNew: .pair(Int32(pairs.count))) {
    case nil: pairs.append(sum)
    case .pair(let index)?: pairs[Int(index)].merge(sum)
    case .counter?, .distribution?: break
    }
  }

  /// The place of a series. If it is new, it gets the place `new`, and the result is nil.
  private mutating func place(of key: SeriesKey, orNew new: Place) -> Place? {
    let index = index(of: key)
    next = index + 1
    if index < keys.count, keys[index] == key { return places[index] }
    keys.insert(key, at: index)
    places.insert(new, at: index)
    return nil
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
    distributions.withUnsafeBufferPointer { distributions in
      for (key, place) in zip(keys, places) {
        switch place {
        case .counter(let index): encoder.add(counters[Int(index)], to: key)
        case .distribution(let index): encoder.add(distributions[Int(index)], to: key)
        case .pair(let index): encoder.add(.pair(pairs[Int(index)]), to: key)
        }
      }
    }
    encoder.end()
  }
}
