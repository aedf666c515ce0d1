public import Telemetry

/// An alert message with its deliveries.
public struct StoredMessage: Sendable, Equatable {
  /// The message's id, which receivers can use to recognise a repeated delivery.
  public var id: String
  public var created: Timestamp
  /// The message as JSON, written by `AlertMessageJSON` in `Alerts`.
  public var body: [UInt8]
  /// The deliveries by the name of their channel.
  public var deliveries: [String: Delivery]

  public init(id: String, created: Timestamp, body: [UInt8], deliveries: [String: Delivery] = [:]) {
    self.id = id
    self.created = created
    self.body = body
    self.deliveries = deliveries
  }

  /// The state of an alert message on one channel.
  public struct Delivery: Sendable, Equatable {
    public var delivered: Timestamp?
    /// The number of failed attempts to deliver the message.
    public var attempts: Int
    /// The reason why the last delivery attempt failed.
    public var failure: String?
    public var failed: Timestamp?
    /// Whether delivery failed permanently, because the receiver rejected the message.
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

/// The queue of alert messages. They are stored in the transaction of the state changes that they report, so that a
/// crash loses none. Each channel receives a message at least once.
public protocol AlertOutbox: Sendable {
  /// The messages that still have a channel on which they are neither delivered nor given up, oldest first.
  func pendingMessages() throws -> [StoredMessage]
  /// The number of messages that a channel failed to take since `start` and has not taken later, by channel.
  func undeliveredMessages(since start: Timestamp) throws -> [String: Int]
  /// Claims a message for sending on a channel. False if it was delivered there already, or if another process claimed
  /// it less than a minute ago.
  func claim(_ message: String, channel: String, at now: Timestamp) throws -> Bool
  func markDelivered(_ message: String, channel: String, at now: Timestamp) throws
  /// Stores a failed attempt and releases the claim. With `isFinal` there are no further attempts.
  func markFailed(_ message: String, channel: String, reason: String, isFinal: Bool, at now: Timestamp) throws
  /// Marks a message as finished on all channels, so that it is no longer pending.
  func settle(_ message: String, at now: Timestamp) throws
}
