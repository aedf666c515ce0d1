internal import Core
public import Storage

/// A channel of kind `webhook`: Plumb's own JSON, posted to any HTTPS address.
struct WebhookChannel: ChannelKind {
  static let name = "webhook"

  /// The address that messages are posted to.
  var address: Channel.Address
  /// The key of the `Plumb-Signature` header; nil sends unsigned messages.
  var signingKey: SecretSource?
  /// The token sent as `Authorization: Bearer`; nil for none.
  var token: SecretSource?

  var secrets: [SecretSource] { address.secrets + [signingKey, token].compactMap(\.self) }

  static func read(_ options: inout OptionReader, _ network: Channel.Network) -> WebhookChannel? {
    let key = options.secret("secret")
    let token = options.secret("token")
    return options.webAddress(isSecret: false, network).map {
      WebhookChannel(address: $0, signingKey: key, token: token)
    }
  }

  func requests(
    for message: AlertMessage, now: Timestamp, secrets: inout SecretReader
  ) throws(SecretFailure) -> [ChannelRequest] {
    var request = try WebRequest(json: WebhookFormat.render(message), to: address, &secrets)
    request.headers += [("Idempotency-Key", message.identifier), ("Plumb-Event", message.event.rawValue)]
    request.token = try secrets.open(token)
    if let key = try secrets.open(signingKey) {
      let signature = key.use { WebhookSignature.header(request.body, key: $0, now: now) }
      request.headers.append(("Plumb-Signature", signature))
    }
    return [.web(request)]
  }
}

/// Formats a message as Plumb's own JSON, complete and unshortened.
public enum WebhookFormat {
  /// The body of the request. `schema` increases when a key changes its meaning.
  public static func render(_ message: AlertMessage) -> [UInt8] {
    let document: JSONOutput = [
      "schema": 1, "id": .string(message.identifier), "event": .string(message.event.rawValue),
      "severity": .string(message.severity.rawValue), "app": .string(message.app),
      "release": .ifPresent(message.release),
      "environment": .ifPresent(message.environment), "title": .string(message.title.oneLine),
      "items": .array(message.items.map(item)), "link": .ifPresent(message.link?.webLink),
      "time": .string(message.time.iso),
    ]
    return document.bytes
  }

  private static func item(_ item: AlertMessage.Item) -> JSONOutput {
    let facts = item.facts.map { ["name": .string($0.name), "value": .string($0.value)] as JSONOutput }
    let trend = item.trend.filter(\.value.isFinite).map {
      ["label": .string($0.label), "value": .number($0.value), "text": .string($0.text), "broken": .bool($0.isBroken)]
        as JSONOutput
    }
    return [
      "incident": .string(item.incident), "event": .string(item.event.rawValue),
      "summary": .string(item.summary.oneLine),
      "facts": .array(facts), "advice": .ifPresent(item.advice), "link": .ifPresent(item.link?.webLink),
      "since": .string(item.since.iso), "trend": trend.isEmpty ? nil : .array(trend),
    ]
  }
}

/// The header with which a webhook's receiver verifies that a body is from Plumb and recent.
///
/// `t=1763629500,v1=HEX`, where HEX is the HMAC-SHA256 of the time (seconds since 1970), a dot and the body. The time is
/// signed, so that a recorded body cannot be replayed later.
enum WebhookSignature {
  static func header(_ body: [UInt8], key: String, now: Timestamp) -> String {
    let time = now.milliseconds / 1000
    return "t=\(time),v1=\(Hex.encode(HMACSHA256(key: key.utf8).code(Array("\(time).".utf8) + body)))"
  }
}
