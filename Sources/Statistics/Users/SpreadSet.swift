/// A set of numbers that are spread evenly already, as those of a keyed hash function are: their lowest bits are their
/// place, and nothing is hashed again.
struct SpreadSet: Sendable {
  /// A power of two; 0 is an empty place.
  private var places: [UInt64] = []
  private var filled = 0
  private var hasZero = false

  var count: Int { filled + (hasZero ? 1 : 0) }
  var isEmpty: Bool { count == 0 }

  /// All members, in no order.
  var elements: [UInt64] { places.filter { $0 != 0 } + (hasZero ? [0] : []) }

  /// Adds what is not there yet.
  mutating func insert(contentsOf numbers: [UInt64]) {
    reserve(filled + numbers.count)
    for number in numbers { insert(number) }
  }

  private mutating func insert(_ number: UInt64) {
    guard number != 0 else {
      hasZero = true
      return
    }
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: number) & mask
    while places[place] != 0 {
      if places[place] == number { return }
      place = (place + 1) & mask
    }
    places[place] = number
    filled += 1
  }

  /// At most half of the places are taken, so that a free one is near.
  private mutating func reserve(_ count: Int) {
    guard 2 * count > places.count else { return }
    var size = max(16, places.count)
    while size < 2 * count { size *= 2 }
    let old = places
    places = [UInt64](repeating: 0, count: size)
    filled = 0
    for number in old where number != 0 { insert(number) }
  }
}
