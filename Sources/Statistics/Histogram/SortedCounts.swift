import Core

/// A count with a sortable key.
protocol CountedEntry: Equatable, Sendable {
  var count: Int { get set }
  func precedes(_ other: Self) -> Bool
  func hasSameKey(as other: Self) -> Bool
  /// Writes the entry with its key relative to the preceding entry's.
  func encode(after previous: Self?, into writer: inout ByteWriter)
}

/// Counts in one contiguous array, sorted by key, with unique keys.
///
/// Payloads list their buckets in order, so the search for a key starts at the last one found. That index is not part
/// of the value.
struct SortedCounts<Entry: CountedEntry>: Sendable {
  private(set) var entries: [Entry] = []
  private var lastHit = 0

  init() {}

  /// Sorts the entries and adds up those with equal keys.
  init(unsorted: [Entry]) {
    for entry in unsorted.sorted(by: { $0.precedes($1) }) { append(entry) }
  }

  /// Creates counts from sorted entries.
  init(sorted entries: [Entry]) { self.entries = entries }

  /// Removes all counts. Their memory stays.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    lastHit = 0
  }

  mutating func reserve(_ more: Int) { entries.reserveCapacity(entries.count + more) }

  mutating func add(_ entry: Entry) {
    let start = lastHit
    let index = entries.withUnsafeMutableBufferPointer { buffer in
      let index = Self.index(of: entry, in: buffer, from: start)
      guard index < buffer.count, buffer[index].hasSameKey(as: entry) else { return ~index }
      buffer[index].count = buffer[index].count.saturatingAdd(entry.count)
      return index
    }
    if index < 0 { entries.insert(entry, at: ~index) }
    lastHit = index < 0 ? ~index : index
  }

  /// Adds an entry that does not precede any existing one.
  mutating func append(_ entry: Entry) {
    if let last = entries.indices.last, entries[last].hasSameKey(as: entry) {
      entries[last].count = entries[last].count.saturatingAdd(entry.count)
    } else {
      entries.append(entry)
    }
  }

  /// The index of the first entry that does not precede `entry`. The last index found and a few after it are tried
  /// before a search of all entries.
  private static func index(of entry: Entry, in buffer: UnsafeMutableBufferPointer<Entry>, from hint: Int) -> Int {
    guard hint < buffer.count else { return index(of: entry, in: buffer, 0, buffer.count) }
    if buffer[hint].hasSameKey(as: entry) { return hint }
    guard buffer[hint].precedes(entry) else { return index(of: entry, in: buffer, 0, hint) }
    let next = hint + 1
    if next == buffer.count || buffer[next].hasSameKey(as: entry) { return next }
    let near = min(buffer.count, next + 32)
    if buffer[near - 1].precedes(entry) { return index(of: entry, in: buffer, near, buffer.count) }
    return index(of: entry, in: buffer, next, near)
  }

  /// A binary search whose number of steps depends only on the length of the range. A processor cannot predict the
  /// comparisons, but it can predict the loop.
  private static func index(
    of entry: Entry, in buffer: UnsafeMutableBufferPointer<Entry>, _ start: Int, _ end: Int
  ) -> Int {
    var low = start
    var length = end - start
    guard length > 0 else { return low }
    while length > 1 {
      let half = length / 2
      low += buffer[low + half - 1].precedes(entry) ? half : 0
      length -= half
    }
    return low + (buffer[low].precedes(entry) ? 1 : 0)
  }
}

extension SortedCounts {
  mutating func merge(_ other: SortedCounts) {
    if other.entries.isEmpty { return }
    if entries.isEmpty {
      entries = other.entries
    } else if other.entries.count * 16 <= entries.count {
      // A few entries are added to many, such as an hour to its day: inserting moves less memory than a new array.
      for entry in other.entries { add(entry) }
    } else {
      // Most histograms of a metric have the same buckets.
      let added = addKnown(other.entries)
      if added < other.entries.count { entries = Self.merged(entries, other.entries[added...]) }
    }
    lastHit = 0
  }

  /// Adds counts up to the first whose key does not exist yet. Returns their number.
  private mutating func addKnown(_ others: [Entry]) -> Int {
    others.withUnsafeBufferPointer { others in
      entries.withUnsafeMutableBufferPointer { buffer in
        var index = 0
        for (added, other) in others.enumerated() {
          while index < buffer.count, buffer[index].precedes(other) { index += 1 }
          guard index < buffer.count, buffer[index].hasSameKey(as: other) else { return added }
          buffer[index].count = buffer[index].count.saturatingAdd(other.count)
        }
        return others.count
      }
    }
  }

  private static func merged(_ left: [Entry], _ right: ArraySlice<Entry>) -> [Entry] {
    var result = SortedCounts()
    result.entries.reserveCapacity(left.count + right.count)
    var (i, j) = (0, right.startIndex)
    while i < left.count || j < right.endIndex {
      if j == right.endIndex || (i < left.count && !right[j].precedes(left[i])) {
        result.append(left[i])
        i += 1
      } else {
        result.append(right[j])
        j += 1
      }
    }
    return result.entries
  }
}

extension SortedCounts: Equatable {
  static func == (left: SortedCounts, right: SortedCounts) -> Bool { left.entries == right.entries }
}
