/// One message to one channel, identified by the message's identifier and the channel's name.
public struct Delivery: Sendable, Equatable {
  /// The message to send.
  public var message: AlertMessage
  /// The name of the channel.
  public var channel: String

  /// `message`, to `channel`.
  public init(message: AlertMessage, channel: String) {
    self.message = message
    self.channel = channel
  }

  /// How it went.
  public enum Outcome: Sendable, Equatable {
    /// The receiver has taken it.
    case delivered
    /// The receiver did not confirm it. One that took it without confirming may get it twice.
    case failed(DeliveryFailure)
  }

  /// A delivery and how it went.
  public struct Report: Sendable, Equatable {
    /// What was to be sent, and where.
    public var delivery: Delivery
    /// How it went.
    public var outcome: Outcome
  }
}

/// Why a message was not delivered, in words that hold no secret.
public struct DeliveryFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// Whether and how a failure can be resolved.
  public enum Kind: Sendable {
    /// May pass by itself: no connection, 408, 425, 429, 5xx.
    case passing
    /// Needs a change of the settings or at the receiver: a secret that cannot be read, an address that is not allowed,
    /// 401, 403, 404, a certificate.
    case setup
    /// Final: the receiver will never take this message. Any other 4xx.
    case refused
  }

  /// Whether and how it can be resolved.
  public var kind: Kind
  /// One line; the receiver's own words are cut.
  public var description: String
}
