public import Storage

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
