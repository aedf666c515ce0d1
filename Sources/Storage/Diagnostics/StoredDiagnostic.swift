public import Core

/// A counted diagnostic without body and call stacks.
public struct StoredDiagnostic: Sendable, Equatable {
  /// The id in the store, which grows with time.
  public var number: Int64
  /// The diagnostic's identity, with which its sample is read.
  public var identity: UInt64
  public var kind: DiagnosticKind
  public var source: Source
  public var environment: String
  public var release: Release
  /// The OS name and version, such as `iOS 17.4.1`.
  public var os: String
  /// The model identifier, such as `iPhone15,2`.
  public var model: String
  public var day: CalendarDay
  /// The time of the diagnostic; nil when only the day is known.
  public var time: Timestamp?
  public var received: Timestamp
  public var quantity: Double?
  public var exception: ExceptionDetails
  /// The rule that classes a hang; nil for other kinds, and for hangs that older versions stored.
  public var hang: HangRule?
  /// Whether a full sample (body and call stacks) is stored.
  public var isKept: Bool

  public init(
    number: Int64, identity: UInt64, kind: DiagnosticKind, source: Source, environment: String, release: Release,
    os: String, model: String, day: CalendarDay, time: Timestamp?, received: Timestamp, quantity: Double?,
    exception: ExceptionDetails, hang: HangRule? = nil, isKept: Bool = true
  ) {
    self.number = number
    self.identity = identity
    self.kind = kind
    self.source = source
    self.environment = environment
    self.release = release
    self.os = os
    self.model = model
    self.day = day
    self.time = time
    self.received = received
    self.quantity = quantity
    self.exception = exception
    self.hang = hang
    self.isKept = isKept
  }
}

/// The body and call stacks of a diagnostic.
public struct StoredSample: Sendable, Equatable {
  /// The recorded call tree as a zstd frame.
  public var calls: [UInt8]
  /// The JSON body, as a zstd frame of what `PackedJSON` accepts.
  public var body: [UInt8]
  /// The size of the JSON as text, in bytes.
  public var size: Int

  public init(calls: [UInt8], body: [UInt8], size: Int) {
    self.calls = calls
    self.body = body
    self.size = size
  }
}
