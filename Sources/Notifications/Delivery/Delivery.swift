/// One message for one channel, identified by the message's identifier and the channel's name.
public struct Delivery: Sendable, Equatable {
  /// The message to send.
  public var message: AlertMessage
  /// The name of the channel that sends the message.
  public var channel: String

  public init(message: AlertMessage, channel: String) {
    self.message = message
    self.channel = channel
  }

  /// The result of a delivery.
  public enum Outcome: Sendable, Equatable {
    /// The receiver has confirmed the message.
    case delivered
    /// The receiver has not confirmed the message. If it accepted the message all the same, it may receive it twice.
    case failed(DeliveryFailure)
  }

  /// A delivery with its result.
  public struct Report: Sendable, Equatable {
    /// The message and the channel.
    public var delivery: Delivery
    /// The result of the delivery.
    public var outcome: Outcome
  }
}

/// Why a message was not delivered, in a text without secrets.
public struct DeliveryFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// Whether and how a failure can be resolved.
  public enum Kind: Sendable {
    /// Temporary: no connection, status 408, 425, 429 or 5xx.
    case passing
    /// Requires a change of the settings or at the receiver: a secret that cannot be read, an address that is not
    /// allowed, status 401, 403 or 404, an invalid certificate.
    case setup
    /// Permanent: the receiver will never accept this message. Any other status 4xx.
    case refused
  }

  /// Whether and how the failure can be resolved.
  public var kind: Kind
  /// One line, which may quote the beginning of the receiver's response.
  public var description: String
}
