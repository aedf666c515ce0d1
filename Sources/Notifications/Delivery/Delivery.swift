/// A message on its way to a channel. The message's identifier and the channel's name identify it.
public struct Delivery: Sendable, Equatable {
  /// What is told.
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
    /// It has not, or did not say so. A receiver that took it without saying so may get it twice.
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
  /// What may help.
  public enum Kind: Sendable {
    /// Time: no connection, 408, 425, 429, 5xx.
    case passing
    /// A change of the settings or at the receiver: a secret that cannot be read, an address that is not allowed,
    /// 401, 403, 404, a certificate.
    case setup
    /// Nothing: the receiver does not take this message, and will not take it again. Any other 4xx.
    case refused
  }

  /// What may help.
  public var kind: Kind
  /// One line; the receiver's own words are cut.
  public var description: String
}
