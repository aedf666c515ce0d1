package import Core

/// The changes that a range of a node's records makes to the store, with the position after the range. They are stored
/// in one transaction.
public struct DigestedBatch: Sendable {
  public var node: NodeID
  /// The sequence of the first record after the preceding batch.
  public var from: Int64
  /// The sequence of the last record in the batch; `from` − 1 if the batch only applies records of apps that are
  /// behind.
  public var through: Int64
  /// For each app whose records were skipped before this batch: the sequence up to which its records are applied.
  public var behindBefore: [AppID: Int64] = [:]
  /// For each app with skipped records after this batch: the sequence up to which its records are applied.
  public var behind: [AppID: Int64] = [:]
  public var cells: [CellDelta]
  /// The measurements of `cells` whose age of the update is known.
  public var agedCells: [AgedCellDelta] = []
  /// Session updates in the order of their records.
  public var sessions: [SessionRecord]
  /// Measurements of cumulative streams in the order of their records.
  public var accumulations: [AccumulationRecord]
  /// Diagnostics in the order of their records.
  public var diagnostics: [DiagnosticRecord]
  public var tallies: [IntakeTally]
  /// Additional changes of the same range.
  public var parts: (any DigestedParts)?
  /// The share of each app's records in the batch.
  public var shares: [AppID: BatchShare] = [:]
  /// Records that are stored undecoded and never digested.
  public var quarantined: [QuarantinedRecord] = []

  public init(
    node: NodeID, from: Int64, through: Int64, cells: [CellDelta] = [], sessions: [SessionRecord] = [],
    accumulations: [AccumulationRecord] = [], diagnostics: [DiagnosticRecord] = [], tallies: [IntakeTally] = []
  ) {
    self.node = node
    self.from = from
    self.through = through
    self.cells = cells
    self.sessions = sessions
    self.accumulations = accumulations
    self.diagnostics = diagnostics
    self.tallies = tallies
  }
}

extension DigestedBatch {
  /// The latest time of receipt in the batch, without its parts; 1970 if it has none.
  package var latestReceipt: Timestamp {
    let latest = [
      cells.lazy.map(\.received).max(), sessions.lazy.map(\.received).max(),
      accumulations.lazy.map(\.received).max(), diagnostics.lazy.map(\.received).max(),
    ]
    return latest.compactMap(\.self).max() ?? Timestamp(milliseconds: 0)
  }
}

/// One app's share of a batch.
public struct BatchShare: Sendable, Equatable {
  /// The records' encoded size, in bytes.
  public var bytes = 0
  /// The estimated work and memory for the records, in the same unit for all shares of the batch.
  public var load = 0.0

  public init(bytes: Int = 0, load: Double = 0) {
    self.bytes = bytes
    self.load = load
  }
}

/// Changes that are made part by part while their batch is applied, so that they are never all in memory.
public protocol DigestedParts: Sendable {
  /// The apps that have changes.
  var apps: Set<AppID> { get }

  /// Passes the changes to `body` part by part. A part's range is meaningless, and a part has no parts.
  func forEach(_ body: (DigestedBatch) throws -> Void) throws
}
