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
