extension Channel {
  /// What keeps the channel's secrets from being read, a line each; empty when all can be.
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
