/// A score of how well groups match causes, over all pairs of diagnostics.
public struct GroupingScore: Sendable {
  /// Of the pairs in one group, the share with one cause.
  public var precision: Double
  /// Of the pairs with one cause, the share in one group.
  public var recall: Double
  public var groups: Int

  /// `pairs`: the cause and the group of each diagnostic.
  public init(_ pairs: [(cause: Int, group: UInt64)]) {
    var cells: [Cell: Int] = [:]
    var causes: [Int: Int] = [:]
    var groups: [UInt64: Int] = [:]
    for (cause, group) in pairs {
      cells[Cell(cause: cause, group: group), default: 0] += 1
      causes[cause, default: 0] += 1
      groups[group, default: 0] += 1
    }
    let together = Self.pairs(cells.values)
    let sameGroup = Self.pairs(groups.values)
    let sameCause = Self.pairs(causes.values)
    precision = sameGroup > 0 ? together / sameGroup : 1
    recall = sameCause > 0 ? together / sameCause : 1
    self.groups = groups.count
  }

  private struct Cell: Hashable {
    let cause: Int
    let group: UInt64
  }

  private static func pairs(_ counts: some Sequence<Int>) -> Double {
    counts.reduce(0) { $0 + Double($1) * Double($1 - 1) / 2 }
  }
}
