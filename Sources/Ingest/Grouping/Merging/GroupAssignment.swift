public import Storage

/// Assigns new signatures to groups, and creates groups.
public struct GroupAssignment {
  private let rows: any GroupRows
  private let app: AppID

  public init(_ rows: any GroupRows, app: AppID) {
    self.rows = rows
    self.app = app
  }

  /// The group with a signature's fingerprint, or the one it was merged into; nil when there is none.
  public func existingGroup(of signature: DiagnosticSignature) throws -> Int64? {
    try rows.groupID(of: signature.fingerprint.hash, app: app).map { try rows.lastSuccessor(of: $0) }
  }

  /// The group of a new signature, created if necessary, and the stack to store with it, which may have gained names.
  ///
  /// `own` are names of binaries that the team declared the app's.
  public func assign(
    _ signature: DiagnosticSignature, own: Set<String>
  ) throws -> (group: Int64, stack: NormalizedStack) {
    var stack = signature.stack
    var fingerprint = own.isEmpty ? signature.fingerprint : Grouper().fingerprint(of: stack, own: own)
    if let named = try earlierNames(of: stack, fingerprint, own) {
      stack = named
      fingerprint = Grouper().fingerprint(of: named, own: own)
    }
    return (try group(of: fingerprint), stack)
  }

  /// The group of a fingerprint, created if necessary.
  ///
  /// A group that was merged away is revived when it gets a diagnostic again: one without names when a build without
  /// symbols has code at the same offset, one with names always. A truncated one stays in the group it was found to be
  /// part of, as long as that group starts with the same frames.
  public func group(of fingerprint: Fingerprint) throws -> Int64 {
    guard let known = try rows.groupID(of: fingerprint.hash, app: app) else {
      return try rows.insertGroup(fingerprint, app: app)
    }
    if fingerprint.isCut, let successor = try rows.group(known)?.successor,
      try rows.group(successor)?.prefixes.contains(fingerprint.hash) == true
    {
      let last = try rows.lastSuccessor(of: known)
      // A group with names never loses its diagnostics to one without.
      if try !fingerprint.isSymbolic || rows.group(last)?.isSymbolic == true { return last }
    }
    try rows.setSuccessor(nil, of: known)
    return known
  }

  /// Marks a group without signatures as merged into another. Chains of merges never form a cycle, and the group at
  /// their end has signatures.
  func retire(_ group: Int64, into successor: Int64) throws {
    guard group != successor, try rows.lastSuccessor(of: successor) != group, try !rows.hasSignatures(group) else {
      return
    }
    try rows.setSuccessor(successor, of: group)
  }

  /// The most signatures of a group that are searched for code at the same offsets.
  private static let mostSearched = 200

  /// The stack with the names that the same code of the same build had before, if its earlier group was merged into
  /// another: even after its symbols were removed it is the same crash.
  private func earlierNames(
    of stack: NormalizedStack, _ fingerprint: Fingerprint, _ own: Set<String>
  ) throws -> NormalizedStack? {
    guard !fingerprint.isSymbolic, let known = try rows.groupID(of: fingerprint.hash, app: app) else { return nil }
    let last = try rows.lastSuccessor(of: known)
    guard last != known else { return nil }
    var named = stack
    try rows.forEachStack(of: last, limit: Self.mostSearched) { other in
      named = named.named(like: other)
      return !Grouper().fingerprint(of: named, own: own).isSymbolic
    }
    return named == stack ? nil : named
  }
}

/// A move of diagnostics from one group to another when symbols arrived. Groups are identified by fingerprint.
struct GroupMerge: Sendable, Hashable {
  var app: AppID
  /// The group in which the diagnostics were.
  var part: UInt64
  /// The group in which the diagnostics are now.
  var whole: UInt64
  var diagnostics: Int
  /// The number of diagnostics in the new group before the merge.
  var before: Int
  /// Whether no diagnostics remain in the old group after the move.
  var isEmptied: Bool
}

/// Counts the diagnostics that move between groups during regrouping.
struct GroupMergeLog {
  private struct Move: Hashable {
    let app: AppID
    let part: Int64
    let whole: Int64
  }

  private var moved: [Move: Int] = [:]
  /// The number of diagnostics in each target group before the move.
  private var before: [Int64: Int] = [:]

  /// Counts the diagnostics of one signature before it is moved.
  mutating func note(_ signature: StoredSignature, to whole: Int64, in rows: any GroupRows) throws {
    if before[whole] == nil { before[whole] = try rows.diagnosticCount(ofGroup: whole) }
    moved[Move(app: signature.app, part: signature.group, whole: whole), default: 0] +=
      try rows.diagnosticCount(ofSignature: signature.id)
  }

  /// Counts all diagnostics of a group before they are moved.
  mutating func noteAll(of part: Int64, app: AppID, to whole: Int64, in rows: any GroupRows) throws {
    if before[whole] == nil { before[whole] = try rows.diagnosticCount(ofGroup: whole) }
    moved[Move(app: app, part: part, whole: whole), default: 0] += try rows.diagnosticCount(ofGroup: part)
  }

  /// The merges, once all signatures were moved.
  func merges(in rows: any GroupRows) throws -> [GroupMerge] {
    try moved.compactMap { move, count in
      guard let part = try rows.group(move.part), let whole = try rows.group(move.whole) else { return nil }
      return GroupMerge(
        app: move.app, part: part.fingerprint, whole: whole.fingerprint, diagnostics: count,
        before: before[move.whole] ?? 0, isEmptied: try !rows.hasSignatures(move.part))
    }
  }
}

/// Assigns incomplete stacks to a group that starts with the same frames. Incomplete are truncated stacks and those of
/// an abort whose exception has no name. A stack is assigned only if there is one such group, or if one of them has at
/// least three quarters of the diagnostics of all of them.
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
