/// Random assignments of clusters to the two sides, as they would occur if the sides did not differ.
///
/// The same seed gives the same assignments, so that a page does not change without data.
struct RandomAssignments {
  typealias Block = SIMD8<Float>

  /// The number of assignments, a multiple of 8.
  let count: Int
  /// 1 if a cluster is in the head, for each cluster and assignment. As many clusters are in the head as were observed.
  let exchanged: [Block]
  /// The same, but each cluster is in the head with the head's share of the exposure; empty if it is unknown.
  let drawn: [Block]

  /// The number of units in the head of each assignment in `exchanged`.
  private(set) var unitSums: [Block] = []

  var blocks: Int { count / 8 }

  /// `units`: the number of units of each cluster. `share`: the head's share of the exposure.
  init(units: [Double], inHead: Int, share: Double?, count: Int) {
    let clusters = units.count
    let count = max(8, count / 8 * 8)
    self.count = count
    let blocks = count / 8
    var random = SplitMix64(state: 0x5EED)
    var exchanged = [Block](repeating: .zero, count: clusters * blocks)
    var drawn = share == nil ? [] : exchanged
    var order = Array(0..<clusters)
    for draw in 0..<count {
      for place in stride(from: clusters - 1, to: 0, by: -1) { order.swapAt(place, random.index(below: place + 1)) }
      for cluster in order.prefix(inHead) { exchanged[cluster * blocks + draw / 8][draw % 8] = 1 }
      guard let share else { continue }
      var number = 0
      for _ in 0..<clusters where random.uniform() < share { number += 1 }
      for cluster in order.prefix(number) { drawn[cluster * blocks + draw / 8][draw % 8] = 1 }
    }
    (self.exchanged, self.drawn) = (exchanged, drawn)
    unitSums = sums(exchanged, units.enumerated().map { ($0.offset, Float($0.element)) })
  }

  /// For each assignment, the sum of the weights of the clusters in the head.
  func sums(_ matrix: [Block], _ weights: [(cluster: Int, weight: Float)]) -> [Block] {
    let blocks = blocks
    return (0..<blocks).map { block in
      var sum = Block.zero
      for (cluster, weight) in weights { sum += matrix[cluster * blocks + block] * weight }
      return sum
    }
  }
}
