public import Core

/// The time interval of a row. Recent rows have short intervals, older ones have long ones.
public struct TimeBin: Hashable, Sendable {
  /// The length of a bin.
  ///
  /// Raw values are stored: never change one.
  public enum Resolution: UInt8, Sendable {
    case day = 0
    case hour = 1
    case fiveMinutes = 2

    /// The length of a bin, in minutes.
    var minutes: Int {
      switch self {
      case .day: 1440
      case .hour: 60
      case .fiveMinutes: 5
      }
    }
  }

  /// The start in minutes since 1970-01-01T00:00, by the clocks of the app's time zone (for MetricKit: of the
  /// device's).
  public var start: Int
  public var resolution: Resolution

  public init(start: Int, resolution: Resolution) {
    self.start = start
    self.resolution = resolution
  }

  /// The bin of a whole day.
  public init(_ day: CalendarDay) { self.init(start: day.number * 1440, resolution: .day) }

  /// The bin that contains `minute`, for data that is `age` minutes old: five minutes up to an age of three days, an
  /// hour up to 35 days, then a day.
  public init(containing minute: Int, age: Int) {
    let resolution: Resolution =
      age < 3 * 1440 ? .fiveMinutes : age < 35 * 1440 ? .hour : .day
    self.init(start: Self.floor(minute, to: resolution.minutes), resolution: resolution)
  }

  /// The day that contains the bin.
  public var day: CalendarDay { CalendarDay(number: Self.floor(start, to: 1440) / 1440) }

  /// The bin of a coarser resolution that contains this bin.
  public func coarsened(to resolution: Resolution) -> TimeBin {
    TimeBin(start: Self.floor(start, to: resolution.minutes), resolution: resolution)
  }

  private static func floor(_ value: Int, to step: Int) -> Int {
    let remainder = value % step
    return value - (remainder < 0 ? remainder + step : remainder)
  }
}

/// A range of whole days, including both ends.
public struct Window: Hashable, Sendable {
  public var from: CalendarDay
  public var to: CalendarDay

  public init(from: CalendarDay, to: CalendarDay) {
    self.from = from
    self.to = max(from, to)
  }

  /// The `days` days that end on `last`.
  public init(days: Int, endingOn last: CalendarDay) { self.init(from: last - (max(1, days) - 1), to: last) }

  /// The number of days in the window.
  public var days: Int { to.number - from.number + 1 }

  /// Every day of the window, oldest first.
  public var allDays: [CalendarDay] { (from.number...to.number).map(CalendarDay.init(number:)) }

  /// The window divided into windows of `length` days, oldest first. Only the oldest may be shorter.
  public func steps(of length: Int) -> [Window] {
    stride(from: to.number, through: from.number, by: -max(1, length)).reversed().map { last in
      let first = max(from.number, last - max(1, length) + 1)
      return Window(from: CalendarDay(number: first), to: CalendarDay(number: last))
    }
  }
}

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

/// The finest subdivision of an app's data. Each report belongs to one cell.
public struct CellKey: Hashable, Sendable {
  public var app: AppID
  public var source: Source
  public var environment: String
  public var release: Release
  /// The OS name and version, such as `iOS 17.4.1`.
  public var os: String
  /// The model identifier, such as `iPhone15,2`.
  public var model: String
  /// The value of the app's attribute; nil if none was sent, or if the app has no attribute.
  public var attribute: AppAttribute?

  public init(
    app: AppID, source: Source, environment: String, release: Release, os: String, model: String,
    attribute: AppAttribute? = nil
  ) {
    self.app = app
    self.source = source
    self.environment = environment
    self.release = release
    self.os = os
    self.model = model
    self.attribute = attribute
  }
}

/// The changes of one cell's rows in one time bin.
public struct CellDelta: Sendable {
  public var key: CellKey
  public var bin: TimeBin
  public var series: [SeriesDelta]
  /// The latest time of receipt, from which the retention period is counted.
  public var received: Timestamp

  public init(key: CellKey, bin: TimeBin, series: [SeriesDelta], received: Timestamp) {
    self.key = key
    self.bin = bin
    self.series = series
    self.received = received
  }
}

/// The change of one metric of a cell.
public struct SeriesDelta: Sendable {
  public var metric: MetricReference
  /// The label of the changed rows; empty for the sum over all labels.
  public var label: String
  public var aggregate: Aggregate

  public init(metric: MetricReference, label: String, aggregate: Aggregate) {
    self.metric = metric
    self.label = label
    self.aggregate = aggregate
  }
}

/// One update of a session, with hashed ids.
public struct SessionRecord: Sendable, Equatable {
  public var key: CellKey
  /// The keyed hash of the session's id.
  public var id: UInt64
  public var outcome: SessionOutcome
  /// The session's start in minutes since 1970-01-01T00:00, by the clocks of the app's time zone.
  public var minute: Int
  /// The order of updates: the client's sequence number, or the update's time in milliseconds since 1970.
  public var sequence: Int64
  /// Whether `sequence` is the client's sequence number.
  public var isSequenceExplicit: Bool
  /// The keyed hash of the user's id; nil when the client sent none.
  public var user: UInt64?
  /// Whether the client reports a hang in the session.
  public var hasHang: Bool
  public var received: Timestamp

  public init(
    key: CellKey, id: UInt64, outcome: SessionOutcome, minute: Int, sequence: Int64, isSequenceExplicit: Bool,
    user: UInt64?, hasHang: Bool = false, received: Timestamp
  ) {
    self.key = key
    self.id = id
    self.outcome = outcome
    self.minute = minute
    self.sequence = sequence
    self.isSequenceExplicit = isSequenceExplicit
    self.user = user
    self.hasHang = hasHang
    self.received = received
  }
}

/// One measurement of a cumulative stream, whose values count everything since the stream's start.
public struct AccumulationRecord: Sendable, Equatable {
  public var key: CellKey
  public var metric: MetricReference
  public var label: String
  public var accumulation: Accumulation
  /// The time of the measurement. A measurement that is not later than the stream's last one adds nothing.
  public var time: Timestamp
  /// The bin to which the increase is added.
  public var bin: TimeBin
  /// The cumulative value since the stream's start.
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

/// One diagnostic with hashed ids. Its large parts are zstd frames.
public struct DiagnosticRecord: Sendable, Equatable {
  public var key: CellKey
  public var kind: DiagnosticKind
  /// The diagnostic's identity. A diagnostic that is sent again within seven days counts once.
  public var identity: UInt64
  /// The time bin in which the diagnostic is counted.
  public var bin: TimeBin
  /// The time of the diagnostic; nil when only the day is known.
  public var time: Timestamp?
  /// The minute of a hang, by the clocks of the app's time zone, if the client observed it during a session; nil for
  /// any other diagnostic.
  public var hangMinute: Int?
  public var quantity: Double?
  /// The keyed hash of the session's id; nil when the client sent none.
  public var session: UInt64?
  /// The keyed hash of the user's id; nil when the client sent none.
  public var user: UInt64?
  public var exception: ExceptionDetails
  /// The recorded call tree as a zstd frame; see `CallTree.init(recorded:)`.
  public var calls: [UInt8]
  /// The size of the JSON body before compression, in bytes.
  public var bodySize: Int
  public var body: [UInt8]
  public var received: Timestamp

  public init(
    key: CellKey, kind: DiagnosticKind, identity: UInt64, bin: TimeBin, time: Timestamp?, hangMinute: Int? = nil,
    quantity: Double?, session: UInt64?, user: UInt64?, exception: ExceptionDetails, calls: [UInt8], bodySize: Int,
    body: [UInt8], received: Timestamp
  ) {
    self.key = key
    self.kind = kind
    self.identity = identity
    self.bin = bin
    self.time = time
    self.hangMinute = hangMinute
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
