/// Stacks that were cut belong to the group whose first frames they have, if there is one such group or one that stands
/// out.
public enum CutStacks {
  /// For the hashes of cut fingerprints, the whole ones they belong to. `counts`: diagnostics of each.
  public static func homes(of fingerprints: [(fingerprint: Fingerprint, count: Int)]) -> [UInt64: UInt64] {
    var wholes: [UInt64: [UInt64: Int]] = [:]
    for (fingerprint, count) in fingerprints where !fingerprint.isCut {
      for prefix in fingerprint.prefixes.dropLast() {
        wholes[prefix, default: [:]][fingerprint.hash, default: 0] += count
      }
    }
    var homes: [UInt64: UInt64] = [:]
    for (fingerprint, _) in fingerprints where fingerprint.isCut {
      guard let found = wholes[fingerprint.hash] else { continue }
      let total = found.values.reduce(0, +)
      guard let most = found.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.value * 4 >= total * 3 else {
        continue
      }
      homes[fingerprint.hash] = most.key
    }
    return homes
  }
}
