/// Assigns incomplete stacks to a group that starts with the same frames. Truncated stacks and stacks of an abort
/// without an exception's name are incomplete. A stack is assigned only if there is one such group, or if one of them
/// has at least three quarters of their diagnostics.
public enum TruncatedStacks {
  /// The complete fingerprints to which truncated ones belong, by hash. `count` is the number of diagnostics of each.
  public static func homes(of fingerprints: [(fingerprint: Fingerprint, count: Int)]) -> [UInt64: UInt64] {
    // A truncated stack may start like an abort without a name, which in turn belongs to one with a name.
    let first = homes(of: fingerprints, [:])
    return homes(of: fingerprints, first)
  }

  private static func homes(
    of fingerprints: [(fingerprint: Fingerprint, count: Int)], _ known: [UInt64: UInt64]
  ) -> [UInt64: UInt64] {
    var wholes: [UInt64: [UInt64: Int]] = [:]
    for (fingerprint, count) in fingerprints {
      for prefix in fingerprint.prefixes.dropLast() {
        wholes[prefix, default: [:]][known[fingerprint.hash] ?? fingerprint.hash, default: 0] += count
      }
    }
    var homes: [UInt64: UInt64] = [:]
    for (fingerprint, _) in fingerprints where fingerprint.isCut {
      guard var found = wholes[fingerprint.hash] else { continue }
      found[fingerprint.hash] = nil
      let total = found.values.reduce(0, +)
      guard let most = found.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.value * 4 >= total * 3 else {
        continue
      }
      homes[fingerprint.hash] = most.key
    }
    return homes
  }
}
