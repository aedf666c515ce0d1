internal import Core
internal import Storage

/// A channel of kind `email`: mail through an SMTP relay.
struct MailChannel: ChannelKind {
  static let name = "email"
  static let isHTTP = false

  /// The relay's host name or IPv4 address.
  var host: String
  /// The relay's port. The default is `Encryption.port`.
  var port: Int
  var encryption: Encryption
  /// The user name and password for SMTP authentication.
  var login: Channel.Login?
  /// The sender's address.
  var from: MailAddress
  /// The recipients; at least one.
  var to: [MailAddress]

  /// The encryption of the connection to the relay.
  enum Encryption: String, Sendable, CaseIterable {
    /// Required STARTTLS.
    case startTLS = "starttls"
    /// TLS from the start of the connection.
    case implicit = "tls"
    /// No encryption, which is allowed only for a relay at a private address.
    case none

    /// The usual port of the protocol.
    var port: Int {
      switch self {
      case .startTLS: 587
      case .implicit: 465
      case .none: 25
      }
    }
  }

  var secrets: [SecretSource] { [login?.password].compactMap(\.self) }

  func requests(
    for message: AlertMessage, now: Timestamp, secrets: inout SecretReader
  ) throws(SecretFailure) -> [ChannelRequest] {
    let credentials = try secrets.credentials(login)
    let body = MailFormat.render(message, from: from, to: to)
    return [
      .mail(
        MailRequest(
          host: host, port: port, encryption: encryption, credentials: credentials, from: from, to: to, body: body))
    ]
  }

  static func read(_ options: inout OptionReader, _ network: Channel.Network) -> MailChannel? {
    let encryption = options.choice("encryption", Encryption.self) ?? .startTLS
    let port = options.integer("port", in: 1...65535) ?? encryption.port
    let login = options.login()
    if login != nil, encryption == .none {
      options.problem(nil, "`password` requires `encryption: starttls` or `encryption: tls`")
    }
    let host = host(&options)
    let from = addresses("from", &options)
    let to = addresses("to", &options)
    guard let host, let to, let sender = from?.first else { return nil }
    if from?.count != 1 { options.problem(nil, "expected one address for from") }
    return MailChannel(host: host, port: port, encryption: encryption, login: login, from: sender, to: to)
  }

  private static func host(_ options: inout OptionReader) -> String? {
    let before = options.problems.count
    guard let host = options.text("host") else {
      if options.problems.count == before { options.missing("host") }
      return nil
    }
    // The host becomes part of a URL, so none of its characters may start another part.
    if host.utf8.count <= 255, MailAddress("a@\(host)") != nil { return host }
    options.problem(nil, "expected the name or IPv4 address of a relay for host, found \"\(host.oneLine.cut(60))\"")
    return nil
  }

  private static func addresses(_ name: String, _ options: inout OptionReader) -> [MailAddress]? {
    let before = options.problems.count
    guard let texts = options.texts(name) else {
      if options.problems.count == before { options.missing(name) }
      return nil
    }
    let addresses = texts.compactMap(MailAddress.init)
    if addresses.count == texts.count { return addresses }
    let wrong = texts.first { MailAddress($0) == nil } ?? ""
    options.problem(
      nil, "expected an address such as oncall@example.com for \(name), found \"\(wrong.oneLine.cut(80))\"")
    return nil
  }
}
