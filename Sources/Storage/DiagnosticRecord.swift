public import Telemetry

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
  public var exception: ExceptionFacts
  /// A recorded `CallTree`.
  public var calls: [UInt8]
  /// Bytes of the JSON before compression.
  public var bodySize: Int
  public var body: [UInt8]
  public var received: Timestamp

  public init(
    key: CellKey, kind: DiagnosticKind, identity: UInt64, bin: TimeBin, time: Timestamp?, quantity: Double?,
    session: UInt64?, user: UInt64?, exception: ExceptionFacts, calls: [UInt8], bodySize: Int, body: [UInt8],
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
