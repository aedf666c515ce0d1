public import Storage

/// The rows of groups and signatures that the rules of grouping read and write, within one transaction of a store.
///
/// A signature stands for all diagnostics with one normalized stack. It belongs to one group; a group that was merged into
/// another has that one as its successor, and no signatures any more.
public protocol GroupRows {
  /// The id of the group with a fingerprint, whatever became of it; nil when there is none.
  func groupID(of fingerprint: UInt64, app: AppID) throws -> Int64?

  /// A group by its id; nil when there is none.
  func group(_ id: Int64) throws -> GroupRow?

  /// Inserts a group and returns its id.
  func insertGroup(_ fingerprint: Fingerprint, app: AppID) throws -> Int64

  func setSuccessor(_ successor: Int64?, of group: Int64) throws

  /// Marks a group as one that may be part of another.
  func markCut(_ group: Int64) throws

  /// Groups of a version of the rules that have no successor, with how many diagnostics each has.
  func currentGroups(of app: AppID, version: Int) throws -> [(fingerprint: Fingerprint, count: Int)]

  /// Apps that have a cut group without successor.
  func appsWithCutGroups() throws -> [AppID]

  func hasSignatures(_ group: Int64) throws -> Bool

  /// Passes the stacks of a group's signatures, the newest first, at most `limit`, until `body` returns false.
  func forEachStack(of group: Int64, limit: Int, _ body: (NormalizedStack) throws -> Bool) throws

  /// Signatures whose generation lies in one of the ranges, in the order of the ranges.
  func signatures(generations: [ClosedRange<Int>], limit: Int) throws -> [StoredSignature]

  /// Changes a signature's group and generation, and its stack unless that is nil.
  func update(_ signature: Int64, group: Int64, generation: Int, stack: NormalizedStack?) throws

  /// Moves all signatures of a group, and returns how many.
  func moveSignatures(from group: Int64, to other: Int64) throws -> Int

  /// Replaces a generation of signatures: of one app, or of all.
  func setGeneration(_ generation: Int, whereGeneration old: Int?, app: AppID?) throws

  func diagnosticCount(ofGroup group: Int64) throws -> Int
  func diagnosticCount(ofSignature signature: Int64) throws -> Int

  /// Binaries that teams declared their apps' own, although they are called like the system's.
  func ownBinaries() throws -> [AppID: Set<String>]
  func setOwnBinaries(_ names: Set<String>, of app: AppID) throws
}

/// A store of groups whose rows can be changed in transactions.
public protocol GroupTransactions: Sendable {
  func readGroups<Value>(_ body: (any GroupRows) throws -> Value) throws -> Value
  func writeGroups<Value>(_ body: (any GroupRows) throws -> Value) throws -> Value

  /// Gives signatures to diagnostics that a version without groups stored.
  func signOldDiagnostics() throws
}

/// A stored group, as far as rules depend on it.
public struct GroupRow: Sendable {
  public var fingerprint: UInt64
  /// The group it was merged into.
  public var successor: Int64?
  public var isSymbolic: Bool
  /// `Fingerprint.prefixes`
  public var prefixes: [UInt64]

  public init(fingerprint: UInt64, successor: Int64?, isSymbolic: Bool, prefixes: [UInt64]) {
    self.fingerprint = fingerprint
    self.successor = successor
    self.isSymbolic = isSymbolic
    self.prefixes = prefixes
  }
}

/// A signature as it is stored.
public struct StoredSignature: Sendable {
  public var id: Int64
  public var app: AppID
  public var group: Int64
  /// The generation of the symbols it was resolved with, or one of `SignatureGeneration`.
  public var generation: Int
  /// Nil when it cannot be read.
  public var stack: NormalizedStack?

  public init(id: Int64, app: AppID, group: Int64, generation: Int, stack: NormalizedStack?) {
    self.id = id
    self.app = app
    self.group = group
    self.generation = generation
    self.stack = stack
  }
}

/// Generations of signatures that were not resolved with the symbols of any. They are stored: never change one.
public enum SignatureGeneration {
  /// It is new.
  public static let new = -1
  /// The symbolizer was missing or failed for some of its offsets.
  public static let unanswered = -2
  /// It was grouped by rules that have changed since.
  public static let outdated = -3
}

extension GroupRows {
  /// The group that a group was merged into in the end; itself when it was not.
  public func lastSuccessor(of group: Int64) throws -> Int64 {
    var group = group
    // Chains are short. The bound keeps a damaged file from stopping the digest.
    for _ in 0..<32 {
      guard let next = try self.group(group)?.successor else { break }
      group = next
    }
    return group
  }
}
