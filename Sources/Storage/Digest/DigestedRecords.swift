public import Core

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
  public var accumulation: CumulativeStream
  /// The time of the measurement. A measurement that is not later than the stream's last one adds nothing.
  public var time: Timestamp
  /// The bin to which the increase is added.
  public var bin: TimeBin
  /// The cumulative value since the stream's start.
  public var value: Measurement.Value
  public var extent: Extent?
  public var received: Timestamp

  public init(
    key: CellKey, metric: MetricReference, label: String, accumulation: CumulativeStream, time: Timestamp, bin: TimeBin,
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

/// One diagnostic with hashed ids.
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
  /// Whether the client states that the app was in the background.
  public var isInBackground: Bool
  /// The recorded call tree; see `CallTree.init(recorded:)`.
  public var calls: CompressibleBytes
  /// The size of the JSON body as text, in bytes.
  public var bodySize: Int
  /// The body; see `PackedJSON`.
  public var body: CompressibleBytes
  public var received: Timestamp

  public init(
    key: CellKey, kind: DiagnosticKind, identity: UInt64, bin: TimeBin, time: Timestamp?, hangMinute: Int? = nil,
    quantity: Double?, session: UInt64?, user: UInt64?, exception: ExceptionDetails, isInBackground: Bool = false,
    calls: CompressibleBytes, bodySize: Int, body: CompressibleBytes, received: Timestamp
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
    self.isInBackground = isInBackground
    self.calls = calls
    self.bodySize = bodySize
    self.body = body
    self.received = received
  }
}
