public import Telemetry

/// What a range of a node's records adds to the store, and the position of the node's records after it.
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

/// One update of one session, ids hashed.
public struct SessionRecord: Sendable, Equatable {
  public var key: CellKey
  /// The keyed hash of the session's id.
  public var id: UInt64
  public var outcome: SessionOutcome
  /// When it started, in minutes by the clocks of the app's zone since 1970-01-01T00:00.
  public var minute: Int
  /// The order of updates: the client's own, or the update's time in milliseconds.
  public var sequence: Int64
  /// The client numbered its updates itself.
  public var isSequenceExplicit: Bool
  /// The keyed hash of the user; nil when the client named none.
  public var user: UInt64?
  public var received: Timestamp

  public init(
    key: CellKey, id: UInt64, outcome: SessionOutcome, minute: Int, sequence: Int64, isSequenceExplicit: Bool,
    user: UInt64?, received: Timestamp
  ) {
    self.key = key
    self.id = id
    self.outcome = outcome
    self.minute = minute
    self.sequence = sequence
    self.isSequenceExplicit = isSequenceExplicit
    self.user = user
    self.received = received
  }
}

/// One reading of a stream that repeats all it counted since its start.
public struct AccumulationRecord: Sendable, Equatable {
  public var key: CellKey
  public var metric: MetricReference
  public var label: String
  public var accumulation: Accumulation
  /// When the measurement was made: one that is not later than the stream's last one adds nothing.
  public var time: Timestamp
  /// The bin that gains what is new.
  public var bin: TimeBin
  /// All since the start.
  public var value: Measurement.Value
  public var extent: Extent?
  public var received: Timestamp

  public init(
    key: CellKey, metric: MetricReference, label: String, accumulation: Accumulation, time: Timestamp, bin: TimeBin,
    value: Measurement.Value, extent: Extent?, received: Timestamp
  ) {
    self.key = key
    self.metric = metric
    self.label = label
    self.accumulation = accumulation
    self.time = time
    self.bin = bin
    self.value = value
    self.extent = extent
    self.received = received
  }
}

/// One diagnostic, ids hashed, its large parts as zstd frames.
public struct DiagnosticRecord: Sendable, Equatable {
  public var key: CellKey
  public var kind: DiagnosticKind
  /// Equal for the same diagnostic sent again: it counts once in seven days.
  public var identity: UInt64
  /// The bin its count goes to.
  public var bin: TimeBin
  /// When it happened; nil when only the day is known.
  public var time: Timestamp?
  public var quantity: Double?
  /// Keyed hashes.
  public var session: UInt64?
  public var user: UInt64?
  public var exception: ExceptionDetails
  /// A recorded `CallTree`.
  public var calls: [UInt8]
  /// Bytes of the JSON before compression.
  public var bodySize: Int
  public var body: [UInt8]
  public var received: Timestamp

  public init(
    key: CellKey, kind: DiagnosticKind, identity: UInt64, bin: TimeBin, time: Timestamp?, quantity: Double?,
    session: UInt64?, user: UInt64?, exception: ExceptionDetails, calls: [UInt8], bodySize: Int, body: [UInt8],
    received: Timestamp
  ) {
    self.key = key
    self.kind = kind
    self.identity = identity
    self.bin = bin
    self.time = time
    self.quantity = quantity
    self.session = session
    self.user = user
    self.exception = exception
    self.calls = calls
    self.bodySize = bodySize
    self.body = body
    self.received = received
  }
}
