import Core
public import Storage

/// Determines the decision about a merged group: that of most of its diagnostics. The group is open if most of them are
/// open or there is a tie.
public enum MergedDecisions {
  /// The decisions to store after merges, by fingerprint: one for every merged group whose decision changes, and `open`
  /// for groups that became empty. `known` contains the app's decisions so far. A group without one is open.
  static func changes(
    _ merges: [RegroupingMove], known: [UInt64: GroupDecision], now: Timestamp
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

  /// Decisions by the fingerprints of current groups. A decision about a merged group applies to the group it was
  /// merged into, and the newest of several wins. Several exist only until `regroup` settles them.
  public static func current(
    _ decisions: [UInt64: GroupDecision], successors: [UInt64: UInt64]
  ) -> [UInt64: GroupDecision] {
    decisions.reduce(into: [:]) { found, decided in
      let group = successors[decided.key] ?? decided.key
      if let other = found[group], other.changed > decided.value.changed { return }
      found[group] = decided.value
    }
  }

  /// The decision with the most diagnostics, the newest one if equal; nil for open and for ties.
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

/// Determines the notes about merged groups without losing text.
public enum MergedNotes {
  /// Notes by the fingerprints of current groups. The newest of several comes first and provides the author. The owner
  /// is the newest that is set.
  public static func current(
    _ notes: [UInt64: GroupNote], successors: [UInt64: UInt64]
  ) -> [UInt64: GroupNote] {
    let byGroup = Dictionary(grouping: notes) { successors[$0.key] ?? $0.key }
    return byGroup.compactMapValues { notes in
      let sorted = notes.sorted { ($0.value.changed, $0.key) > ($1.value.changed, $1.key) }.map(\.value)
      guard var whole = sorted.first else { return nil }
      whole.owner = sorted.first { !$0.owner.isEmpty }?.owner ?? ""
      var seen: Set<String> = [""]
      whole.text = sorted.map(\.text).filter { seen.insert($0).inserted }.joined(separator: "\n\n")
      return whole
    }
  }
}
