internal import Foundation

/// The protocol that every kind of alerting channel implements: its options in the settings, and how it sends a message.
///
/// A new kind is a file or folder beside this one, and a line in `ChannelKinds.all`.
protocol ChannelKind: Sendable, Equatable {
  /// The value of `kind` in the settings: `slack`.
  static var name: String { get }
  /// True if daily and weekly summaries are sent to it, not only incidents.
  static var takesSummaries: Bool { get }
  /// True if messages travel by HTTP, so that the options `allow-private` and `proxy` apply.
  static var isHTTP: Bool { get }

  /// Reads the options of this kind. Nil if one is missing or invalid; `options` then contains the problem.
  ///
  /// - Parameter network: the connection's options, which decide what addresses are valid.
  static func read(_ options: inout OptionReader, _ network: Channel.Network) -> Self?

  /// The location of each secret among the options.
  var secrets: [SecretSource] { get }

  /// The requests that carry `message`, in the order in which they are sent.
  ///
  /// - Parameter now: the time that signatures contain.
  func requests(
    for message: AlertMessage, now: Date, secrets: inout SecretReader
  ) throws(SecretFailure) -> [ChannelRequest]
}

extension ChannelKind {
  static var takesSummaries: Bool { true }
  static var isHTTP: Bool { true }

  /// Compares with a channel of any kind; those of different kinds are not equal.
  func isEqual(to other: any ChannelKind) -> Bool { other as? Self == self }
}

/// The list of supported kinds of channels.
enum ChannelKinds {
  /// All supported kinds, in the order in which error messages list them.
  static let all: [any ChannelKind.Type] = [
    WebhookChannel.self, SlackChannel.self, DiscordChannel.self, TeamsChannel.self, PagerDutyChannel.self,
    AlertmanagerChannel.self, MailChannel.self,
  ]
}
