public import Telemetry

/// A message with what became of it.
public struct StoredMessage: Sendable, Equatable {
  /// The idempotency key for retries.
  public var id: String
  public var created: Timestamp
  /// JSON, as `AlertMessageJSON` of `Alerts` writes it.
  public var body: [UInt8]
  /// By channel.
  public var deliveries: [String: Delivery]

  public init(id: String, created: Timestamp, body: [UInt8], deliveries: [String: Delivery] = [:]) {
    self.id = id
    self.created = created
    self.body = body
    self.deliveries = deliveries
  }

  /// What became of a message on one channel.
  public struct Delivery: Sendable, Equatable {
    public var delivered: Timestamp?
    /// How often it failed.
    public var attempts: Int
    /// Why it failed last.
    public var failure: String?
    public var failed: Timestamp?
    /// Whether the receiver refused it for good.
    public var isRefused: Bool

    public init(
      delivered: Timestamp? = nil, attempts: Int = 0, failure: String? = nil, failed: Timestamp? = nil,
      isRefused: Bool = false
    ) {
      self.isRefused = isRefused
      self.delivered = delivered
      self.attempts = attempts
      self.failure = failure
      self.failed = failed
    }
  }
}

/// Messages that wait for their channels. They are written with the transitions they report, so that a crash between
/// both loses nothing; each channel takes a message at least once.
public protocol AlertOutbox: Sendable {
  /// Messages that are not settled, the oldest first.
  func pendingMessages() throws -> [StoredMessage]
  /// Takes a message for sending. False when the channel has it already, or another process took it less than a minute
  /// ago.
  func claim(_ message: String, channel: String, at now: Timestamp) throws -> Bool
  func markDelivered(_ message: String, channel: String, at now: Timestamp) throws
  /// Remembers a failed attempt, and gives the message back; with `isFinal` there will be no other.
  func markFailed(_ message: String, channel: String, reason: String, isFinal: Bool, at now: Timestamp) throws
  /// No channel needs it any more: it is no longer pending.
  func settle(_ message: String, at now: Timestamp) throws
}
