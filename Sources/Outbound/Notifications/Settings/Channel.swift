import Core
import Foundation
import Storage

/// An alert channel of the settings: a named receiver of alert messages.
public struct Channel: Sendable, Equatable {
  /// The key of the channel under `channels:` in the settings.
  public var name: String
  /// The receiver's protocol and its options.
  var kind: any ChannelKind
  /// Options of the connection to the receiver.
  var network: Network = Network()

  /// The value of `kind` in the settings: `slack`.
  public var kindName: String { type(of: kind).name }

  /// Whether daily and weekly summaries are sent to the channel. Pagers receive only incidents.
  public var takesSummaries: Bool { type(of: kind).takesSummaries }

  /// One line for each secret of the channel that cannot be read; empty if all can be read.
  ///
  /// - Parameter environment: the environment variables that may contain secrets.
  public func secretProblems(environment: [String: String]) -> [String] {
    kind.secrets.compactMap { Self.problem($0, environment) }
  }

  private static func problem(_ source: SecretSource, _ environment: [String: String]) -> String? {
    do {
      _ = try source.read(environment: environment)
      return nil
    } catch {
      return error.description
    }
  }

  public static func == (one: Self, other: Self) -> Bool {
    one.name == other.name && one.network == other.network && one.kind.isEqual(to: other.kind)
  }

  /// The address that a channel's requests go to.
  enum Address: Sendable, Equatable {
    /// An address in the settings.
    case plain(String)
    /// The location of an address that is secret, because knowing it is enough to post messages.
    case secret(SecretSource)

    /// The location of a secret address as a list; empty for a plain address.
    var secrets: [SecretSource] {
      if case .secret(let source) = self { [source] } else { [] }
    }
  }

  /// A user name and the location of its password.
  struct Login: Sendable, Equatable {
    var user: String
    var password: SecretSource
  }

  /// Options of the connection to the receiver.
  struct Network: Sendable, Equatable {
    /// Whether connections to private addresses are allowed, and http to them.
    var allowsPrivate = false
    /// The path of a PEM file of CA certificates to trust instead of the system's.
    var caFile: String?
    /// The URL of the HTTP proxy to use, such as `http://proxy.example.com:3128`; nil for none.
    var proxy: String?
    /// The time limit of one request, in seconds.
    var timeout: TimeInterval = 10
  }
}

/// Reads the options of one channel and collects the errors in `OptionReader`.
enum ChannelReader {
  static func read(_ name: String, _ options: inout OptionReader) -> Channel? {
    guard options.problems.isEmpty else { return nil }
    let names = ChannelKinds.all.map { $0.name }
    guard let choice = options.choice("kind", among: names),
      let kind = ChannelKinds.all.first(where: { $0.name == choice })
    else {
      if options.problems.isEmpty { options.missing("kind: one of \(names.joined(separator: ", "))") }
      return nil
    }
    let network = network(&options, isHTTP: kind.isHTTP)
    let read: (any ChannelKind)? = kind.read(&options, network)
    options.finish()
    return read.map { Channel(name: name, kind: $0, network: network) }
  }

  private static func network(_ options: inout OptionReader, isHTTP: Bool) -> Channel.Network {
    var network = Channel.Network()
    network.timeout = options.duration("timeout", in: 1...60) ?? network.timeout
    network.caFile = options.text("ca-file")
    // A mail relay is configured by the operator, and HTTP proxies do not carry mail.
    guard isHTTP else { return network }
    network.allowsPrivate = options.flag("allow-private") ?? false
    network.proxy = options.text("proxy")
    return network
  }
}

// Options of several kinds of channels.
extension OptionReader {
  /// The required option `url`.
  ///
  /// - Parameter isSecret: whether the address must be stored outside the settings.
  mutating func webAddress(isSecret: Bool, _ network: Channel.Network) -> Channel.Address? {
    let before = problems.count
    guard let address = address("url", isSecret: isSecret) else {
      if problems.count == before { missing("url") }
      return nil
    }
    if case .plain(let text) = address,
      let problem = WebAddress.problem(text, allowsPrivate: network.allowsPrivate)
    {
      self.problem(nil, "url: \(problem)")
      return nil
    }
    return address
  }

  /// The options `user` and `password`: both or neither.
  mutating func login() -> Channel.Login? {
    let before = problems.count
    let user = text("user")
    let password = secret("password")
    if let user, let password { return Channel.Login(user: user, password: password) }
    if user != nil || password != nil, problems.count == before {
      missing("both `user` and `password`, or neither")
    }
    return nil
  }
}
