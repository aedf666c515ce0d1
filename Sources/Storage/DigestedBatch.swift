public import Telemetry

/// What some records add to the store, and how far the node's records are applied with it.
public struct DigestedBatch: Sendable {
  public var node: NodeID
  /// The sequence of the first record that no batch before has passed.
  public var from: Int64
  /// The sequence of the last record it passes; `from` − 1 when it only catches up for apps that are behind.
  public var through: Int64
  /// Apps that were behind before it, and those that are with it: `DigestPosition.behind`.
  public var behindBefore: [AppID: Int64] = [:]
  public var behind: [AppID: Int64] = [:]
  public var cells: [CellDelta]
  /// In the order of their records.
  public var sessions: [SessionRecord]
  /// Readings that repeat what was sent before, in the order of their records.
  public var accumulations: [AccumulationRecord]
  /// In the order of their records.
  public var diagnostics: [DiagnosticRecord]
  public var tallies: [TallyDelta]
  /// Records that are kept as they are and never digested.
  public var quarantined: [QuarantinedRecord] = []

  public init(
    node: NodeID, from: Int64, through: Int64, cells: [CellDelta] = [], sessions: [SessionRecord] = [],
    accumulations: [AccumulationRecord] = [], diagnostics: [DiagnosticRecord] = [], tallies: [TallyDelta] = []
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

/// The finest slice of an app's data.
public struct CellKey: Hashable, Sendable {
  public var app: AppID
  public var source: Source
  public var environment: String
  public var release: Release
  /// `iOS 17.4.1`
  public var os: String
  /// `iPhone15,2`
  public var model: String

  public init(app: AppID, source: Source, environment: String, release: Release, os: String, model: String) {
    self.app = app
    self.source = source
    self.environment = environment
    self.release = release
    self.os = os
    self.model = model
  }
}

/// What one cell gains in one time bin.
public struct CellDelta: Sendable {
  public var key: CellKey
  public var bin: TimeBin
  public var series: [SeriesDelta]
  /// When the newest of it was received: retention counts from here.
  public var received: Timestamp

  public init(key: CellKey, bin: TimeBin, series: [SeriesDelta], received: Timestamp) {
    self.key = key
    self.bin = bin
    self.series = series
    self.received = received
  }
}

/// What one metric of a cell gains.
public struct SeriesDelta: Sendable {
  public var metric: MetricReference
  /// Empty for the sum over all labels.
  public var label: String
  public var aggregate: Aggregate

  public init(metric: MetricReference, label: String, aggregate: Aggregate) {
    self.metric = metric
    self.label = label
    self.aggregate = aggregate
  }
}
