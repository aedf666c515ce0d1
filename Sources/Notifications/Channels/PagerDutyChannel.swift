internal import JSON

/// A message as events of PagerDuty's Events API v2: one for each incident.
///
/// The incident is the `dedup_key`: a second trigger changes an open alert, a resolve ends it, and either may be sent
/// twice.
public enum PagerDutyFormat {
  /// The bodies of the requests, in the order of the items.
  ///
  /// - Parameter routingKey: the integration key of the service. It is part of the body.
  public static func render(_ message: AlertMessage, routingKey: String) -> [[UInt8]] {
    message.items.map { event($0, message, routingKey).bytes }
  }

  private static func event(_ item: AlertMessage.Item, _ message: AlertMessage, _ routingKey: String) -> JSONNode {
    let key = item.incident.utf8.count <= 255 ? item.incident : Hashing.hex(item.incident)
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

  private static func payload(_ item: AlertMessage.Item, _ message: AlertMessage) -> JSONNode {
    var details: [String: JSONNode] = [:]
    for detail in item.details { details[detail.name.cut(200)] = .string(detail.value.cut(4000)) }
    details["Environment"] = .ifPresent(message.environment?.oneLine.cut(200))
    return [
      "summary": .string(item.summary.oneLine.cut(1024)), "source": .string(message.app.oneLine.cut(255)),
      "severity": .string(message.severity.rawValue), "timestamp": .string(item.since.iso8601),
      "component": .ifPresent(message.release?.oneLine.cut(255)), "custom_details": .object(sorting: details),
    ]
  }
}
