internal import Core
internal import Storage

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
    for message: AlertMessage, now: Timestamp, secrets: inout SecretReader
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

/// Reads secrets from their locations and collects them, so that they can be removed from error messages.
struct SecretReader {
  let environment: [String: String]
  private(set) var opened: [Secret] = []

  /// - Parameter environment: the environment variables that may contain secrets.
  init(environment: [String: String]) { self.environment = environment }

  mutating func open(_ source: SecretSource?) throws(SecretFailure) -> Secret? {
    guard let source else { return nil }
    let secret = try source.read(environment: environment)
    opened.append(secret)
    return secret
  }

  mutating func open(_ address: Channel.Address) throws(SecretFailure) -> Secret {
    switch address {
    case .plain(let text): return Secret(text)
    case .secret(let source):
      let secret = try source.read(environment: environment)
      opened.append(secret)
      return secret
    }
  }

  mutating func credentials(_ login: Channel.Login?) throws(SecretFailure) -> Credentials? {
    guard let login, let password = try open(login.password) else { return nil }
    return Credentials(user: login.user, password: password)
  }
}
