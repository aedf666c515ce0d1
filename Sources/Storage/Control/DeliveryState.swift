public import Core

/// The delivery state of an alert message on one channel.
public struct DeliveryState: Sendable, Equatable {
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
