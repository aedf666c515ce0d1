internal import Telemetry

/// Answers by binary and offset, the least recently used forgotten first: two halves, of which the older is dropped when
/// the younger is full. What is found in the older moves to the younger.
struct NameCache {
  struct Place: Hashable {
    let uuid: String
    let offset: UInt64
  }

  private let limit: Int
  private var young: [Place: [CallTree.Symbol]] = [:]
  private var old: [Place: [CallTree.Symbol]] = [:]
  /// Bytes of the younger half, about.
  private var size = 0

  init(limit: Int) { self.limit = limit }

  mutating func symbols(at place: Place) -> [CallTree.Symbol]? {
    if let known = young[place] { return known }
    guard let known = old.removeValue(forKey: place) else { return nil }
    keep(known, at: place)
    return known
  }

  mutating func keep(_ symbols: [CallTree.Symbol], at place: Place) {
    if size > limit / 2 {
      old = young
      young = [:]
      size = 0
    }
    young[place] = symbols
    size += symbols.reduce(128) { $0 + 64 + $1.function.utf8.count + $1.file.utf8.count }
  }

  mutating func clear() { self = NameCache(limit: limit) }
}
