public import Storage
public import Telemetry

/// What holds of merged groups: the decision about most of their diagnostics. At a tie, and where most of them are open,
/// the whole is open.
public enum MergedDecisions {
  /// The decisions to store, by fingerprint: for every whole whose decision changes, and `open` for parts of which nothing
  /// is left. `known`: those of the app so far; a group without one is open.
  public static func changes(
    _ merges: [GroupMerge], known: [UInt64: GroupDecision], now: Timestamp
  ) -> [UInt64: GroupDecision] {
    var found: [UInt64: GroupDecision] = [:]
    for (whole, parts) in Dictionary(grouping: merges, by: \.whole) {
      let own = known[whole]
      let decided = parts.map { (decision: known[$0.part], diagnostics: $0.diagnostics) }
      guard own != nil || decided.contains(where: { $0.decision != nil }) else { continue }
      let winner = majority(of: decided + [(own, parts[0].before)])
      if winner != own { found[whole] = winner ?? GroupDecision(.open, changed: now) }
    }
    for merge in merges where merge.isEmptied && known[merge.part] != nil && found[merge.part] == nil {
      found[merge.part] = GroupDecision(.open, changed: now)
    }
    return found
  }

  /// Decisions by the fingerprints of today's groups: that about a group holds for its successor, and of several the newest.
  /// `regroup` settles decisions where it merges groups, so that several are left only until then.
  public static func current(
    _ decisions: [UInt64: GroupDecision], successors: [UInt64: UInt64]
  ) -> [UInt64: GroupDecision] {
    decisions.reduce(into: [:]) { found, decided in
      let group = successors[decided.key] ?? decided.key
      if let other = found[group], other.changed > decided.value.changed { return }
      found[group] = decided.value
    }
  }

  /// Of equal decisions the newest; nil for open.
  private static func majority(of decided: [(decision: GroupDecision?, diagnostics: Int)]) -> GroupDecision? {
    var sums: [(decision: GroupDecision?, diagnostics: Int)] = []
    for (decision, diagnostics) in decided {
      guard let index = sums.firstIndex(where: { $0.decision?.state == decision?.state }) else {
        sums.append((decision, diagnostics))
        continue
      }
      sums[index].diagnostics += diagnostics
      if let decision, let other = sums[index].decision, decision.changed > other.changed {
        sums[index].decision = decision
      }
    }
    let largest = sums.map(\.diagnostics).max() ?? 0
    let winners = sums.filter { $0.diagnostics == largest }
    return winners.count == 1 ? winners[0].decision : nil
  }
}
