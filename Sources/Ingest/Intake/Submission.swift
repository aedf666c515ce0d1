public import Core
public import Storage

/// The metadata of a request body: app, format, time of receipt and client.
public struct Submission: Sendable {
  public var app: AppID
  /// The app's settings, if the caller has loaded them already.
  public var settings: AppSettings?
  var format: PayloadFormat
  public var received: Timestamp
  /// The client's name from its User-Agent; empty if not sent.
  public var client: String
  /// The idempotency key, with which a client marks retries of a request; nil if not sent.
  var idempotencyKey: String?
  /// Whether 64 bytes after the body are readable, which saves a copy.
  var isPadded: Bool
  /// Where the items of a Sentry envelope are; nil if not searched yet.
  var layout: EnvelopeLayout?

  public init(
    app: AppID, settings: AppSettings? = nil, format: PayloadFormat = .sniffed, received: Timestamp,
    client: String = "", idempotencyKey: String? = nil, isPadded: Bool = false, layout: EnvelopeLayout? = nil
  ) {
    self.app = app
    self.settings = settings
    self.format = format
    self.received = received
    self.client = client
    self.idempotencyKey = idempotencyKey
    self.isPadded = isPadded
    self.layout = layout
  }
}
