public import Storage

/// Assigns new signatures to groups and creates groups.
public struct GroupAssignment {
  private let rows: any GroupRows
  private let app: AppID

  public init(_ rows: any GroupRows, app: AppID) {
    self.rows = rows
    self.app = app
  }

  /// The group with a signature's fingerprint, or the group it was merged into; nil if there is none.
  public func existingGroup(of signature: DiagnosticSignature) throws -> Int64? {
    try rows.groupID(of: signature.fingerprint.hash, app: app).map { try rows.lastSuccessor(of: $0) }
  }

  /// The group of a new signature, created if necessary, and the stack to store with it, which may have gained names.
  ///
  /// `own` are names of binaries that the team declared as the app's own.
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
  /// A merged group becomes a group again when it gets a diagnostic. A group without names gets one when a build
  /// without symbols has code at the same offset. A truncated group stays in the group it was merged into, as long as
  /// that group starts with the same frames.
  public func group(of fingerprint: Fingerprint) throws -> Int64 {
    guard let known = try rows.groupID(of: fingerprint.hash, app: app) else {
      return try rows.insertGroup(fingerprint, app: app)
    }
    if fingerprint.isCut, let successor = try rows.group(known)?.successor,
      try rows.group(successor)?.prefixes.contains(fingerprint.hash) == true
    {
      let last = try rows.lastSuccessor(of: known)
      // A group with names never loses its diagnostics to a group without.
      if try !fingerprint.isSymbolic || rows.group(last)?.isSymbolic == true { return last }
    }
    try rows.setSuccessor(nil, of: known)
    return known
  }

  /// Marks a group without signatures as merged into another. Chains of merges never form a cycle, and the last group
  /// of a chain has signatures.
  func retire(_ group: Int64, into successor: Int64) throws {
    guard group != successor, try rows.lastSuccessor(of: successor) != group, try !rows.hasSignatures(group) else {
      return
    }
    try rows.setSuccessor(successor, of: group)
  }

  /// The most signatures of a group that are searched for code at the same offsets.
  private static let mostSearched = 200

  /// The stack with the names that the same code of the same build had before, if its earlier group was merged into
  /// another. It is the same crash even after its symbols were removed.
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

/// A move of diagnostics from one group to another because symbols arrived. Fingerprints identify the groups.
struct GroupMerge: Sendable, Hashable {
  var app: AppID
  /// The group that had the diagnostics before.
  var part: UInt64
  /// The group that has the diagnostics now.
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

/// The rows of groups and signatures within one transaction, as the rules of grouping use them.
///
/// A signature represents all diagnostics with the same normalized stack and belongs to one group. A merged group has a
/// successor and no signatures.
public protocol GroupRows {
  /// The id of the group with this fingerprint, even if it was merged; nil if there is none.
  func groupID(of fingerprint: UInt64, app: AppID) throws -> Int64?

  /// The group with this id; nil if there is none.
  func group(_ id: Int64) throws -> GroupRow?

  /// Inserts a group and returns its id.
  func insertGroup(_ fingerprint: Fingerprint, app: AppID) throws -> Int64

  func setSuccessor(_ successor: Int64?, of group: Int64) throws

  /// Marks a group whose stacks may be truncated.
  func markCut(_ group: Int64) throws

  /// The groups of one version of the rules that were not merged, each with its number of diagnostics.
  func currentGroups(of app: AppID, version: Int) throws -> [(fingerprint: Fingerprint, count: Int)]

  /// The apps that have a group marked as truncated and not merged.
  func appsWithCutGroups() throws -> [AppID]

  func hasSignatures(_ group: Int64) throws -> Bool

  /// Passes the stacks of a group's signatures to `body`, newest first and at most `limit`, until it returns false.
  func forEachStack(of group: Int64, limit: Int, _ body: (NormalizedStack) throws -> Bool) throws

  /// The stored signatures whose generation is in one of the ranges, in the order of the ranges.
  func signatures(generations: [ClosedRange<Int>], limit: Int) throws -> [StoredSignature]

  /// Whether a signature is still stored as it was read. A signature that was deleted since may have given its id to
  /// another.
  func isStored(_ signature: StoredSignature) throws -> Bool

  /// Changes a signature's group and generation. Changes its stack unless `stack` is nil.
  func update(_ signature: Int64, group: Int64, generation: Int, stack: NormalizedStack?) throws

  /// Moves all signatures of a group and returns their number.
  func moveSignatures(from group: Int64, to other: Int64) throws -> Int

  /// Replaces the generation of all signatures with the generation `old` (nil: any), of one app or (nil) of all.
  func setGeneration(_ generation: Int, whereGeneration old: Int?, app: AppID?) throws

  func diagnosticCount(ofGroup group: Int64) throws -> Int
  func diagnosticCount(ofSignature signature: Int64) throws -> Int

  /// The binaries that teams declared as their apps' own although they have names of system binaries.
  func ownBinaries() throws -> [AppID: Set<String>]
  func setOwnBinaries(_ names: Set<String>, of app: AppID) throws
}

/// Access to `GroupRows` in transactions of a store.
public protocol GroupTransactions: Sendable {
  func readGroups<Value>(_ body: (any GroupRows) throws -> Value) throws -> Value
  func writeGroups<Value>(_ body: (any GroupRows) throws -> Value) throws -> Value

  /// Computes signatures for diagnostics that versions without groups stored.
  func signOldDiagnostics() throws
}

/// The columns of a stored group that the rules of grouping use.
public struct GroupRow: Sendable {
  public var fingerprint: UInt64
  /// The group into which the group was merged; nil if it was not merged.
  public var successor: Int64?
  var isSymbolic: Bool
  /// The prefixes of the group's fingerprint; see `Fingerprint.prefixes`.
  var prefixes: [UInt64]

  public init(fingerprint: UInt64, successor: Int64?, isSymbolic: Bool, prefixes: [UInt64]) {
    self.fingerprint = fingerprint
    self.successor = successor
    self.isSymbolic = isSymbolic
    self.prefixes = prefixes
  }
}

/// A stored signature.
public struct StoredSignature: Sendable, Equatable {
  public var id: Int64
  var app: AppID
  var group: Int64
  /// The generation of symbols with which it was resolved, or a constant of `SignatureGeneration`.
  var generation: Int
  /// The normalized stack of the signature; nil if its stored form is damaged.
  var stack: NormalizedStack?

  public init(id: Int64, app: AppID, group: Int64, generation: Int, stack: NormalizedStack?) {
    self.id = id
    self.app = app
    self.group = group
    self.generation = generation
    self.stack = stack
  }
}

/// Generations of signatures that no symbols resolved. Raw values are stored: never change one.
public enum SignatureGeneration {
  /// The signature's frames were never looked up in symbols.
  public static let new = -1
  /// Some of the signature's offsets could not be looked up, because the symbolizer was missing or failed.
  static let unanswered = -2
  /// The signature was grouped with rules or declared binaries that have changed since.
  public static let outdated = -3
}

extension GroupRows {
  /// The group at the end of the chain of merges; the group itself if it was not merged.
  public func lastSuccessor(of group: Int64) throws -> Int64 {
    var group = group
    // Chains are short. The limit keeps a damaged file from blocking the digest.
    for _ in 0..<32 {
      guard let next = try self.group(group)?.successor else { break }
      group = next
    }
    return group
  }
}
