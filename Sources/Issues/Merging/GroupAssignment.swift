public import Storage

/// Decides which group a signature belongs to when it is first stored, and makes new groups.
public struct GroupAssignment {
  private let rows: any GroupRows
  private let app: AppID

  public init(_ rows: any GroupRows, app: AppID) {
    self.rows = rows
    self.app = app
  }

  /// The group of a signature's fingerprint, or the one that it was merged into; nil when there is none.
  public func existingGroup(of signature: DiagnosticSignature) throws -> Int64? {
    try rows.groupID(of: signature.fingerprint.hash, app: app).map { try rows.lastSuccessor(of: $0) }
  }

  /// The group of a new signature, made where there is none, and the stack to store with it: it may have gained names.
  ///
  /// `own`: names of binaries that the team declared the app's own.
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

  /// The group of a fingerprint, made where it is new.
  ///
  /// A group that symbols took apart comes back when it gets a diagnostic again: one without names when another build,
  /// without symbols, has code at the same place; one with names always, whatever it was merged into. A cut one stays with
  /// the group that it was found to be part of, which begins as it does, unless its own diagnostics were split off
  /// since then: those have another cause.
  func group(of fingerprint: Fingerprint) throws -> Int64 {
    guard let known = try rows.groupID(of: fingerprint.hash, app: app) else {
      return try rows.insertGroup(fingerprint, app: app)
    }
    if fingerprint.isCut, let successor = try rows.group(known)?.successor,
      try rows.group(successor)?.prefixes.contains(fingerprint.hash) == true
    {
      let last = try rows.lastSuccessor(of: known)
      // A group with names is never left for one without.
      if try !fingerprint.isSymbolic || rows.group(last)?.isSymbolic == true { return last }
    }
    try rows.setSuccessor(nil, of: known)
    return known
  }

  /// Records that a group without signatures was merged into another. Chains of successors never form a circle, and the
  /// group at their end has signatures.
  func retire(_ group: Int64, into successor: Int64) throws {
    guard group != successor, try rows.lastSuccessor(of: successor) != group, try !rows.hasSignatures(group) else {
      return
    }
    try rows.setSuccessor(successor, of: group)
  }

  /// Signatures of a group that are searched for code at the same offsets.
  private static let mostSearched = 200

  /// The stack with the names that the same code of the same build once had, where its group of then was merged into
  /// another: the symbols may be gone, and it is the same crash.
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
