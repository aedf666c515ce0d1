/// Assignments of whole runs to the two sides, exchanged within strata: all of them if there are few, otherwise the
/// observed one and random ones. If the sides do not differ, each assignment was as likely as the observed one.
///
/// R. Fisher, "The Design of Experiments" (1935); B. Phipson and G. Smyth, "Permutation p-values should never be zero"
/// (2010), for random assignments.
public struct RunAssignments: Sendable {
  /// The number of assignments, with the observed one.
  public let count: Int
  /// The number of different assignments; infinite if it is too large for a number.
  public let possible: Double
  let strata: [Int]
  /// 1 if a run is in the head: a row of runs for each assignment, the observed one first.
  let inHead: [Double]

  var runs: Int { strata.count }

  /// `strata`: the stratum of each run. `inHead`: whether a run was observed in the head. `most`: the maximum number of
  /// assignments.
  public init(strata: [Int], inHead: [Bool], most: Int) {
    precondition(strata.count == inHead.count)
    self.strata = strata
    let groups = Dictionary(grouping: strata.indices, by: { strata[$0] }).sorted { $0.key < $1.key }.map(\.value)
    possible = groups.reduce(1) { $0 * Self.choices($1.count, $1.count { inHead[$0] }) }
    var all = inHead.map { $0 ? 1.0 : 0 }
    if possible <= Double(max(1, most)) {
      all += Self.others(groups, inHead)
    } else {
      var random = SplitMix64(state: 0x1AB5EED)
      for _ in 1..<max(1, most) {
        var assignment = [Double](repeating: 0, count: strata.count)
        for group in groups {
          var order = group
          for place in stride(from: order.count - 1, to: 0, by: -1) {
            order.swapAt(place, random.index(below: place + 1))
          }
          for run in order.prefix(group.count { inHead[$0] }) { assignment[run] = 1 }
        }
        all += assignment
      }
    }
    self.inHead = all
    count = strata.isEmpty ? 1 : all.count / strata.count
  }

  /// The smallest two-sided p-value that these runs can have.
  public var smallestPValue: Double { min(1, 2 / possible) }

  /// The fewest runs on each side of one stratum with which a difference can be shown at a level.
  public static func fewestRuns(level: Double) -> Int {
    (1...100).first { 2 / choices(2 * $0, $0) <= level } ?? 100
  }

  /// All assignments except the observed one.
  private static func others(_ groups: [[Int]], _ inHead: [Bool]) -> [Double] {
    var found: [[Double]] = [[Double](repeating: 0, count: inHead.count)]
    for group in groups {
      let subsets = subsets(of: group[...], group.count { inHead[$0] })
      found = found.flatMap { assignment in
        subsets.map { subset in
          var next = assignment
          for run in subset { next[run] = 1 }
          return next
        }
      }
    }
    let observed = inHead.map { $0 ? 1.0 : 0 }
    return found.filter { $0 != observed }.flatMap { $0 }
  }

  private static func subsets(of group: ArraySlice<Int>, _ size: Int) -> [[Int]] {
    guard size > 0, let first = group.first else { return size == 0 ? [[]] : [] }
    guard group.count >= size else { return [] }
    let rest = group.dropFirst()
    return subsets(of: rest, size - 1).map { [first] + $0 } + subsets(of: rest, size)
  }

  /// The number of ways to choose `part` of `whole`.
  private static func choices(_ whole: Int, _ part: Int) -> Double {
    (0..<min(part, whole - part)).reduce(1.0) { ($0 * Double(whole - $1) / Double($1 + 1)).rounded() }
  }
}
