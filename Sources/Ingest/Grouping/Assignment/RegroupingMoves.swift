import Storage

/// A move of diagnostics from one group to another because symbols arrived. Fingerprints identify the groups.
struct RegroupingMove: Sendable, Hashable {
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
struct RegroupingMoveLog {
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
  func merges(in rows: any GroupRows) throws -> [RegroupingMove] {
    try moved.compactMap { move, count in
      guard let part = try rows.group(move.part), let whole = try rows.group(move.whole) else { return nil }
      return RegroupingMove(
        app: move.app, part: part.fingerprint, whole: whole.fingerprint, diagnostics: count,
        before: before[move.whole] ?? 0, isEmptied: try !rows.hasSignatures(move.part))
    }
  }
}
