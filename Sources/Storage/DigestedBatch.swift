public import Telemetry

/// What a contiguous range of records adds to the store.
public struct DigestedBatch: Sendable {
  public var node: NodeID
  /// The sequence of the first record.
  public var from: Int64
  /// The sequence of the last record.
  public var through: Int64
  public var cells: [CellDelta]
  /// In the order of their records.
  public var sessions: [SessionRecord]
  public var tallies: [TallyDelta]

  public init(
    node: NodeID, from: Int64, through: Int64, cells: [CellDelta] = [], sessions: [SessionRecord] = [],
    tallies: [TallyDelta] = []
  ) {
    self.node = node
    self.from = from
    self.through = through
    self.cells = cells
    self.sessions = sessions
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

/// How often something happened to an app's payloads that numbers do not show.
public struct TallyDelta: Sendable, Equatable {
  public var app: AppID
  public var day: CalendarDay
  public var kind: TallyKind
  /// What was wrong, in one word: `syntax`, `type`, `unsupported`.
  public var reason: String
  /// The key path of the last one, for whoever mends the client.
  public var detail: String
  public var count: Int

  public init(app: AppID, day: CalendarDay, kind: TallyKind, reason: String, detail: String, count: Int) {
    self.app = app
    self.day = day
    self.kind = kind
    self.reason = reason
    self.detail = detail
    self.count = count
  }
}

/// What is counted beside the numbers, so that nothing is lost silently.
///
/// Raw values are stored: never change one.
public enum TallyKind: UInt8, Sendable, CaseIterable {
  case accepted = 1
  case rejected = 2
  case duplicate = 3
  case suspectedDuplicate = 4
  case rejectedSample = 5
  case lateSession = 6
  /// A release, device, label or metric beyond its cap went to "(other)".
  case capped = 7
  case limited = 8
  /// An unknown unit word or a missing time was read as the most likely one.
  case guessed = 9

  /// `rejected`
  public var name: String {
    switch self {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .duplicate: "duplicate"
    case .suspectedDuplicate: "suspected_duplicate"
    case .rejectedSample: "rejected_sample"
    case .lateSession: "late_session"
    case .capped: "capped"
    case .limited: "limited"
    case .guessed: "guessed"
    }
  }
}
