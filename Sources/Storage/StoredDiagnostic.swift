public import Telemetry

/// A diagnostic that was counted, without its body.
public struct StoredDiagnostic: Sendable, Equatable {
  /// Its number in the store: newer ones are greater.
  public var number: Int64
  /// The key of its sample.
  public var identity: UInt64
  public var kind: DiagnosticKind
  public var source: Source
  public var environment: String
  public var release: Release
  /// `iOS 17.4.1`
  public var os: String
  /// `iPhone15,2`
  public var model: String
  public var day: CalendarDay
  /// Nil when only the day is known.
  public var time: Timestamp?
  public var received: Timestamp
  public var quantity: Double?
  public var exception: ExceptionDetails
  /// The diagnostic itself is there, and not only what was counted of it.
  public var isKept: Bool

  public init(
    number: Int64, identity: UInt64, kind: DiagnosticKind, source: Source, environment: String, release: Release,
    os: String, model: String, day: CalendarDay, time: Timestamp?, received: Timestamp, quantity: Double?,
    exception: ExceptionDetails, isKept: Bool = true
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
    self.isKept = isKept
  }
}

/// Which diagnostics are wanted, the newest first.
public struct DiagnosticQuery: Sendable, Equatable {
  public var app: AppID
  public var kind: DiagnosticKind?
  /// Only those with a smaller number.
  public var before: Int64?
  /// Only this one.
  public var number: Int64?
  public var limit: Int

  public init(
    app: AppID, kind: DiagnosticKind? = nil, before: Int64? = nil, number: Int64? = nil, limit: Int = 100
  ) {
    self.app = app
    self.kind = kind
    self.before = before
    self.number = number
    self.limit = limit
  }
}

/// The large parts of a diagnostic.
public struct StoredSample: Sendable, Equatable {
  /// A zstd frame of a recorded call tree.
  public var calls: [UInt8]
  /// A zstd frame of the JSON.
  public var body: [UInt8]
  /// Bytes of the JSON.
  public var size: Int

  public init(calls: [UInt8], body: [UInt8], size: Int) {
    self.calls = calls
    self.body = body
    self.size = size
  }
}
