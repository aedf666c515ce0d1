/// Stacks that were cut, and aborts whose exception is not named, belong to the group that begins as they do, if there is
/// one such group, or one of them has three quarters of the diagnostics.
public enum TruncatedStacks {
  /// For the hashes of cut fingerprints, the whole ones they belong to. `counts`: diagnostics of each.
  public static func homes(of fingerprints: [(fingerprint: Fingerprint, count: Int)]) -> [UInt64: UInt64] {
    // A stack that was cut may begin like an abort without a name, which itself belongs to one with a name.
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
