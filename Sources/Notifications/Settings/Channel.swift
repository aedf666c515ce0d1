public import Foundation

/// A receiver of messages, as described in the settings.
public struct Channel: Sendable, Equatable {
  /// Its name in the settings.
  public var name: String
  /// The receiver's protocol and its options.
  public var kind: Kind
  /// Options of the connection.
  public var network: Network

  /// A channel of that kind.
  public init(name: String, kind: Kind, network: Network = Network()) {
    self.name = name
    self.kind = kind
    self.network = network
  }

  /// The supported receivers.
  public enum Kind: Sendable, Equatable {
    /// Plumb's own JSON.
    case webhook(Webhook)
    /// An incoming webhook of Slack.
    case slack(Address)
    /// A webhook of Discord.
    case discord(Address)
    /// A webhook of a workflow in Microsoft Teams.
    case teams(Address)
    /// Events API v2.
    case pagerDuty(PagerDuty)
    /// Prometheus Alertmanager, API v2.
    case alertmanager(Alertmanager)
    /// A mail relay.
    case mail(Mail)

    /// Whether it takes summaries: pagers take incidents only.
    public var takesDigests: Bool {
      switch self {
      case .pagerDuty, .alertmanager: false
      case .webhook, .slack, .discord, .teams, .mail: true
      }
    }

    /// As the settings spell it.
    public var name: String {
      switch self {
      case .webhook: "webhook"
      case .slack: "slack"
      case .discord: "discord"
      case .teams: "teams"
      case .pagerDuty: "pagerduty"
      case .alertmanager: "alertmanager"
      case .mail: "email"
      }
    }
  }

  /// Where a request goes.
  public enum Address: Sendable, Equatable {
    /// In the settings.
    case plain(String)
    /// Kept in a secret source: the address alone allows sending.
    case secret(SecretSource)
  }

  /// Options of a channel of kind `webhook`.
  public struct Webhook: Sendable, Equatable {
    /// Where to.
    public var address: Address
    /// The key of the signature; without one nothing is signed.
    public var signingKey: SecretSource?
    /// Sent as `Authorization: Bearer`.
    public var token: SecretSource?
  }

  /// Options of a channel of kind `pagerduty`.
  public struct PagerDuty: Sendable, Equatable {
    /// The integration key.
    public var routingKey: SecretSource
    /// The address of the region, or of a service with the same protocol.
    public var address: Address
    /// PagerDuty's address.
    public static let defaultAddress = "https://events.pagerduty.com/v2/enqueue"
  }

  /// Options of a channel of kind `alertmanager`.
  public struct Alertmanager: Sendable, Equatable {
    /// Of the server, without `/api/v2/alerts`.
    public var address: Address
    /// Further labels of every alert.
    public var labels: [String: String]
    /// How long an open alert lasts when it is not sent again, in seconds.
    public var lasting: TimeInterval
    /// Sent as `Authorization: Bearer`.
    public var token: SecretSource?
    /// A name and its password.
    public var login: Login?
    /// 30 days.
    public static let defaultLasting: TimeInterval = 30 * 86400
  }

  /// Options of a channel of kind `email`.
  public struct Mail: Sendable, Equatable {
    /// The relay.
    public var host: String
    /// 587 for STARTTLS, 465 for TLS from the start, 25 without.
    public var port: Int
    /// How the connection is protected.
    public var encryption: Encryption
    /// A name and its password.
    public var login: Login?
    /// The sender.
    public var from: MailAddress
    /// At least one.
    public var to: [MailAddress]

    /// How a connection to a relay is protected.
    public enum Encryption: String, Sendable, CaseIterable {
      /// STARTTLS, required before anything is sent.
      case startTLS = "starttls"
      /// TLS from the start.
      case implicit = "tls"
      /// No encryption; only for a relay at a private address.
      case none

      /// The usual port.
      public var port: Int {
        switch self {
        case .startTLS: 587
        case .implicit: 465
        case .none: 25
        }
      }
    }
  }

  /// A name and where its password is kept.
  public struct Login: Sendable, Equatable {
    /// The name.
    public var user: String
    /// Where the password is kept.
    public var password: SecretSource
  }

  /// How a channel is reached.
  public struct Network: Sendable, Equatable {
    /// Whether private addresses may be connected to, and http used with them.
    public var allowsPrivate = false
    /// Certificates to trust instead of the system's.
    public var caFile: String?
    /// `http://proxy.example.com:3128`
    public var proxy: String?
    /// The limit of one request, in seconds.
    public var timeout: TimeInterval = 10

    /// The defaults: nothing private, the system's certificates, no proxy, 10 seconds.
    public init() {}
  }
}

extension Channel {
  /// One line for each of the channel's secrets that cannot be read; empty when all can.
  public func secretProblems(environment: [String: String]) -> [String] {
    secrets.compactMap { Self.problem($0, environment) }
  }

  private static func problem(_ source: SecretSource, _ environment: [String: String]) -> String? {
    do {
      _ = try source.read(environment: environment)
      return nil
    } catch {
      return error.description
    }
  }

  private var secrets: [SecretSource] {
    switch kind {
    case .webhook(let webhook): Self.secret(webhook.address) + [webhook.signingKey, webhook.token].compactMap(\.self)
    case .slack(let address), .discord(let address), .teams(let address): Self.secret(address)
    case .pagerDuty(let service): [service.routingKey] + Self.secret(service.address)
    case .alertmanager(let server):
      Self.secret(server.address) + [server.token, server.login?.password].compactMap(\.self)
    case .mail(let mail): [mail.login?.password].compactMap(\.self)
    }
  }

  private static func secret(_ address: Address) -> [SecretSource] {
    if case .secret(let source) = address { [source] } else { [] }
  }
}
