import Core
import Foundation
import Storage

/// The protocol of a kind of alert channel: its options in the settings, and the requests that carry a message.
///
/// A new kind is a file or folder beside this one, and a line in `ChannelKinds.all`.
protocol ChannelKind: Sendable, Equatable {
  /// The value of `kind` in the settings: `slack`.
  static var name: String { get }
  /// Whether daily and weekly summaries are sent to the channel, in addition to incidents.
  static var takesSummaries: Bool { get }
  /// Whether messages are sent by HTTP, so that the options `allow-private` and `proxy` apply.
  static var isHTTP: Bool { get }

  /// Reads the options of this kind. Nil if an option is missing or invalid; `options` then has the error.
  ///
  /// - Parameter network: the connection's options, which decide which addresses are valid.
  static func read(_ options: inout OptionReader, _ network: Channel.Network) -> Self?

  /// The locations of the secrets among the options.
  var secrets: [SecretSource] { get }

  /// The requests that carry `message`, in the order of sending.
  ///
  /// - Parameter now: the time in signatures.
  func requests(
    for message: AlertMessage, now: Timestamp, secrets: inout SecretReader
  ) throws(SecretFailure) -> [ChannelRequest]
}

extension ChannelKind {
  static var takesSummaries: Bool { true }
  static var isHTTP: Bool { true }

  /// Whether two channels are equal. Channels of different kinds are not.
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

/// A request to the receiver of a channel, ready to be sent, including its secrets.
enum ChannelRequest: Sendable {
  /// An HTTP POST.
  case web(WebRequest)
  /// A mail for an SMTP relay.
  case mail(MailRequest)
}

extension WebRequest {
  /// A POST of `body` as JSON to `address`.
  init(
    json body: [UInt8], to address: Channel.Address, _ secrets: inout SecretReader
  ) throws(SecretFailure) {
    self.init(
      address: try secrets.open(address),
      headers: [("Content-Type", "application/json; charset=utf-8"), ("User-Agent", "Plumb")], body: body)
  }
}
