/// Cost that moved from one function to another within their caller.
extension ChangeLocator {
  /// Joins changes of opposite directions within one caller that cancel.
  func merged() -> [TreeChange] {
    var changes = found.map(\.change)
    var index = 0
    while index < changes.count {
      let own = changes[index]
      let other = changes.indices.first { other in
        guard other > index, changes[other].kind != .moved else { return false }
        let (one, two) = (observedDifference(part(own)), observedDifference(part(changes[other])))
        return one * two < 0 && abs(one + two) <= 0.3 * max(abs(one), abs(two)) && haveCaller(own, changes[other])
      }
      if let other {
        let (to, from) = own.shareDifference > 0 ? (own, changes[other]) : (changes[other], own)
        var moved = to
        moved.kind = .moved
        moved.origin = from.chain.first { !tree.isWithin(to.node, $0) } ?? from.node
        moved.pValue = max(own.pValue, changes[other].pValue)
        changes[index] = moved
        changes.remove(at: other)
      }
      index += 1
    }
    return changes.map { moved($0) ?? $0 }
  }

  /// A change as a move within its caller, if the caller hardly changed and one of its other parts has nearly the
  /// opposite difference, even if that part alone does not pass; nil if there is no such part.
  ///
  /// Shares of a caller with nearly all cost always cancel, so the other part must also have changed in comparison with
  /// all cost without the first change.
  private func moved(_ change: TreeChange) -> TreeChange? {
    guard change.kind != .moved, let first = change.chain.first else { return nil }
    let part = change.isOwnCost && change.chain.count == 1 ? tree.nodeCount + first : first
    guard let container = tree.container(of: part) else { return nil }
    let (own, whole) = (observedDifference(part), observedDifference(container))
    guard abs(whole) <= 0.3 * abs(own) else { return nil }
    let others = tree.parts(of: container).filter { other in
      let difference = observedDifference(other)
      return other != part && difference * own < 0 && abs(difference) >= 0.7 * abs(own)
    }
    let rest = others.map { other in
      let result = search.evaluate(costs(other), in: costs(container), totals: totals)
      return (part: other, statistic: result.strongest)
    }
    guard let other = rest.max(by: { abs($0.statistic) < abs($1.statistic) }), other.statistic * own < -2 * abs(own)
    else { return nil }
    var moved = change
    moved.kind = .moved
    if own > 0 {
      moved.origin = tree.node(of: other.part)
    } else {
      moved.origin = first
      moved.chain = [tree.node(of: other.part)]
      moved.isOwnCost = other.part >= tree.nodeCount
      moved.cost = rates.rate(of: tree.entries[other.part])
      moved.cost.pValue = search.pValue(of: other.part)
      moved.shareDifference = observedDifference(other.part)
    }
    return moved
  }

  func part(_ change: TreeChange) -> Int { change.isOwnCost ? tree.nodeCount + change.node : change.node }

  /// The difference of the mean shares of a part before any change was left out.
  private func observedDifference(_ part: Int) -> Double {
    let shares = shares(tree.entries[part], of: tree.totals)
    return shares.head - shares.base
  }

  /// Whether two changes have a caller in common, and neither is within the other.
  private func haveCaller(_ one: TreeChange, _ other: TreeChange) -> Bool {
    guard !tree.isWithin(one.node, other.node), !tree.isWithin(other.node, one.node) else {
      // The own cost of a function can move to what it calls.
      return one.isOwnCost != other.isOwnCost && one.node != other.node
    }
    var caller = tree.parents[one.node]
    while caller >= 0, !tree.isWithin(other.node, caller) { caller = tree.parents[caller] }
    return caller >= 0
  }
}
