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
    var fingerprint = Grouper().fingerprint(of: stack, own: own)
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
