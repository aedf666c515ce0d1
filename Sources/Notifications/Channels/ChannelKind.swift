internal import Foundation

/// The HTTP requests or the mail that carry one message to one channel, and the secrets in them.
struct ChannelRequests: Sendable {
  enum Request: Sendable {
    case web(WebRequest)
    case mail(MailRequest)
  }

  var requests: [Request]
  var redaction: Redaction

  /// - Parameters:
  ///   - environment: the variables that may hold secrets.
  ///   - now: the time of the signature.
  init(
    _ message: AlertMessage, to channel: Channel, environment: [String: String], now: Date
  ) throws(SecretFailure) {
    var secrets = SecretReader(environment: environment)
    switch channel.kind {
    case .webhook(let webhook): requests = [.web(try Self.webhook(message, webhook, &secrets, now))]
    case .slack(let address): requests = [.web(try Self.json(SlackFormat.render(message), address, &secrets))]
    case .discord(let address): requests = [.web(try Self.json(DiscordFormat.render(message), address, &secrets))]
    case .teams(let address): requests = [.web(try Self.json(TeamsFormat.render(message), address, &secrets))]
    case .pagerDuty(let service): requests = try Self.pagerDuty(message, service, &secrets)
    case .alertmanager(let server): requests = [.web(try Self.alertmanager(message, server, &secrets))]
    case .mail(let mail):
      let credentials = try secrets.credentials(mail.login)
      let body = MailFormat.render(message, from: mail.from, to: mail.to)
      requests = [
        .mail(
          MailRequest(
            host: mail.host, port: mail.port, encryption: mail.encryption, credentials: credentials, from: mail.from,
            to: mail.to, body: body))
      ]
    }
    redaction = Redaction(secrets.opened)
  }

  private static func json(
    _ body: [UInt8], _ address: Channel.Address, _ secrets: inout SecretReader
  ) throws(SecretFailure) -> WebRequest {
    WebRequest(
      address: try secrets.open(address),
      headers: [("Content-Type", "application/json; charset=utf-8"), ("User-Agent", "Plumb")], body: body)
  }

  private static func webhook(
    _ message: AlertMessage, _ webhook: Channel.Webhook, _ secrets: inout SecretReader, _ now: Date
  ) throws(SecretFailure) -> WebRequest {
    var request = try json(WebhookFormat.render(message), webhook.address, &secrets)
    request.headers += [("Idempotency-Key", message.identifier), ("Plumb-Event", message.event.rawValue)]
    request.token = try secrets.open(webhook.token)
    if let key = try secrets.open(webhook.signingKey) {
      let signature = key.use { WebhookSignature.header(request.body, key: $0, now: now) }
      request.headers.append(("Plumb-Signature", signature))
    }
    return request
  }

  private static func pagerDuty(
    _ message: AlertMessage, _ service: Channel.PagerDuty, _ secrets: inout SecretReader
  ) throws(SecretFailure) -> [Request] {
    guard let key = try secrets.open(service.routingKey) else { return [] }
    let bodies = key.use { PagerDutyFormat.render(message, routingKey: $0) }
    var requests: [Request] = []
    for body in bodies { requests.append(.web(try json(body, service.address, &secrets))) }
    return requests
  }

  private static func alertmanager(
    _ message: AlertMessage, _ server: Channel.Alertmanager, _ secrets: inout SecretReader
  ) throws(SecretFailure) -> WebRequest {
    let body = AlertmanagerFormat.render(message, labels: server.labels, lasting: server.lasting)
    var request = try json(body, server.address, &secrets)
    request.address = request.address.use { address in
      Secret(address + (address.hasSuffix("/") ? "" : "/") + "api/v2/alerts")
    }
    request.token = try secrets.open(server.token)
    request.credentials = try secrets.credentials(server.login)
    return request
  }
}

/// Reads secrets and keeps a list of them, for redaction.
private struct SecretReader {
  let environment: [String: String]
  private(set) var opened: [Secret] = []

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

/// The header by which the receiver of a webhook verifies that a body is from Plumb, and recent.
///
/// `t=1763629500,v1=HEX`, where HEX is the HMAC-SHA256 of the time in seconds, a dot and the body. The time is signed,
/// so that a recorded body cannot be replayed later.
enum WebhookSignature {
  static func header(_ body: [UInt8], key: String, now: Date) -> String {
    let time = Int(now.timeIntervalSince1970)
    return "t=\(time),v1=\(Hashing.signature(Array("\(time).".utf8) + body, key: key))"
  }
}
