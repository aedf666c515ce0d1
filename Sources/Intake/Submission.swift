public import Decoding
public import Storage
public import Telemetry

/// What is known of a body beside its bytes.
public struct Submission: Sendable {
  public var app: AppID
  /// What the team chose for the app, when whoever sends it knows.
  public var settings: AppSettings?
  public var format: PayloadFormat
  public var received: Timestamp
  /// The program that sent it, as it calls itself (User-Agent); empty when it does not.
  public var client: String
  /// The client's word for "this is the same request again"; nil when it sent none.
  public var idempotencyKey: String?
  /// 64 bytes behind the body are readable, which saves a copy.
  public var isPadded: Bool

  public init(
    app: AppID, settings: AppSettings? = nil, format: PayloadFormat = .sniffed, received: Timestamp,
    client: String = "",
    idempotencyKey: String? = nil, isPadded: Bool = false
  ) {
    self.app = app
    self.settings = settings
    self.format = format
    self.received = received
    self.client = client
    self.idempotencyKey = idempotencyKey
    self.isPadded = isPadded
  }
}

/// What became of a body that was understood.
public struct Acknowledgement: Sendable, Equatable {
  /// Nil when it held nothing to keep.
  public var outcome: AppendOutcome?
  /// The id a Sentry client gave it.
  public var eventID: String?
  /// Parts that were left out.
  public var rejection: PartialRejection?

  public init(outcome: AppendOutcome?, eventID: String? = nil, rejection: PartialRejection? = nil) {
    self.outcome = outcome
    self.eventID = eventID
    self.rejection = rejection
  }
}
