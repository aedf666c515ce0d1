public import Storage
public import Telemetry

/// What holds of groups that were joined: what was said of most of their diagnostics. At a tie, and where most of them are
/// open, the whole is open.
public enum JoinedDecisions {
  /// The decisions to be remembered, by fingerprint: for every whole whose decision changes, and `open` for parts of which
  /// nothing is left. `known`: those of the app so far; a group without one is open.
  public static func of(
    _ joins: [GroupJoin], known: [UInt64: GroupDecision], now: Timestamp
  ) -> [UInt64: GroupDecision] {
    var found: [UInt64: GroupDecision] = [:]
    for (whole, parts) in Dictionary(grouping: joins, by: \.whole) {
      let own = known[whole]
      let said = parts.map { (decision: known[$0.part], diagnostics: $0.diagnostics) }
      guard own != nil || said.contains(where: { $0.decision != nil }) else { continue }
      let winner = most(of: said + [(own, parts[0].before)])
      if winner != own { found[whole] = winner ?? GroupDecision(.open, changed: now) }
    }
    for join in joins where join.isEmptied && known[join.part] != nil && found[join.part] == nil {
      found[join.part] = GroupDecision(.open, changed: now)
    }
    return found
  }

  /// Of equal decisions the newest; nil for open.
  private static func most(of said: [(decision: GroupDecision?, diagnostics: Int)]) -> GroupDecision? {
    var sums: [(decision: GroupDecision?, diagnostics: Int)] = []
    for (decision, diagnostics) in said {
      guard let place = sums.firstIndex(where: { $0.decision?.state == decision?.state }) else {
        sums.append((decision, diagnostics))
        continue
      }
      sums[place].diagnostics += diagnostics
      if let decision, let other = sums[place].decision, decision.changed > other.changed {
        sums[place].decision = decision
      }
    }
    let largest = sums.map(\.diagnostics).max() ?? 0
    let winners = sums.filter { $0.diagnostics == largest }
    return winners.count == 1 ? winners[0].decision : nil
  }
}
