import Storage

/// Counts new stacks that were not admitted, for apps at their limit of signatures. Stacks that occur only once
/// displace only each other.
struct WaitingStacks {
  private var counts: [AppID: [UInt64: Int]] = [:]

  private static let most = 2_000
  private static let mostApps = 64

  /// Selects the stacks of `new` that occurred most often, in this batch and before; the others stay counted for later.
  mutating func choose(_ most: Int, of new: [UInt64: Int], app: AppID) -> Set<UInt64> {
    var waiting = counts[app] ?? [:]
    let ranked = new.map { (hash: $0.key, count: $0.value.addingSaturated(waiting[$0.key] ?? 0)) }
      .sorted { ($0.count, $0.hash) > ($1.count, $1.hash) }
    for stack in ranked.prefix(most) { waiting[stack.hash] = nil }
    for stack in ranked.dropFirst(most).prefix(Self.most) { waiting[stack.hash] = stack.count }
    if waiting.count > Self.most {
      let kept = waiting.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.prefix(Self.most)
      waiting = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
    if counts.count >= Self.mostApps, counts[app] == nil { counts = [:] }
    counts[app] = waiting
    return Set(ranked.prefix(most).map(\.hash))
  }
}
