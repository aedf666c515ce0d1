internal import Core
import Storage

/// A channel of kind `pagerduty`: the Events API v2 of PagerDuty, or of a service with the same protocol.
struct PagerDutyChannel: ChannelKind {
  static let name = "pagerduty"
  static let takesSummaries = false

  /// The integration key of the PagerDuty service.
  var routingKey: SecretSource
  /// The address that events are posted to.
  var address: Channel.Address

  /// The endpoint of PagerDuty's US region.
  private static let defaultAddress = "https://events.pagerduty.com/v2/enqueue"

  var secrets: [SecretSource] { [routingKey] + address.secrets }

  static func read(_ options: inout OptionReader, _ network: Channel.Network) -> PagerDutyChannel? {
    let before = options.problems.count
    let key = options.secret("routing-key")
    if key == nil, options.problems.count == before { options.missing("routing-key") }
    let text = options.text("url") ?? defaultAddress
    if let problem = WebAddress.problem(text, allowsPrivate: network.allowsPrivate) {
      options.problem(nil, "url: \(problem)")
    }
    return key.map { PagerDutyChannel(routingKey: $0, address: .plain(text)) }
  }

  func requests(
    for message: AlertMessage, now: Timestamp, secrets: inout SecretReader
  ) throws(SecretFailure) -> [ChannelRequest] {
    guard let key = try secrets.open(routingKey) else { return [] }
    let bodies = key.use { PagerDutyFormat.render(message, routingKey: $0) }
    var requests: [ChannelRequest] = []
    for body in bodies { requests.append(.web(try WebRequest(json: body, to: address, &secrets))) }
    return requests
  }
}

/// Formats a message as events of PagerDuty's Events API v2, one per incident.
///
/// The incident's identifier is the `dedup_key`. A second trigger updates an open alert, a resolve ends it, and both
/// can safely be sent twice.
enum PagerDutyFormat {
  /// The bodies of the requests, in the order of the items.
  ///
  /// - Parameter routingKey: the integration key of the service, which is part of the body.
  static func render(_ message: AlertMessage, routingKey: String) -> [[UInt8]] {
    message.items.map { event($0, message, routingKey).bytes }
  }

  private static func event(_ item: AlertMessage.Item, _ message: AlertMessage, _ routingKey: String) -> JSONOutput {
    let key = item.incident.utf8.count <= 255 ? item.incident : MessageDigest.sha256Hex(item.incident)
    guard item.event.isOpen else {
      return ["routing_key": .string(routingKey), "event_action": "resolve", "dedup_key": .string(key)]
    }
    let link = item.link?.webLink ?? message.link?.webLink
    return [
      "routing_key": .string(routingKey), "event_action": "trigger", "dedup_key": .string(key), "client": "Plumb",
      "client_url": .ifPresent(message.link?.webLink), "payload": payload(item, message),
      "links": link.map { [["href": .string($0), "text": "Open the page"]] },
    ]
  }

  private static func payload(_ item: AlertMessage.Item, _ message: AlertMessage) -> JSONOutput {
    var details: [String: JSONOutput] = [:]
    for detail in item.details {
      // An incident can have several budgets, but member names of an object must be unique.
      let name = detail.name.cut(200)
      let names = [name] + (2...50).map { "\(name) \($0)" }
      details[names.first { details[$0] == nil } ?? name] = .string(detail.value.cut(4000))
    }
    details["Environment"] = .ifPresent(message.environment?.oneLine.cut(200))
    return [
      "summary": .string(item.summary.oneLine.cut(1024)), "source": .string(message.app.oneLine.cut(255)),
      "severity": .string(message.severity.rawValue), "timestamp": .string(item.since.iso),
      "component": .ifPresent(message.release?.oneLine.cut(255)), "custom_details": .object(sorting: details),
    ]
  }
}
