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
