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

  private static func event(_ item: AlertMessage.Item, _ message: AlertMessage, _ routingKey: String) -> JSONValue {
    let key = item.incident.utf8.count <= 255 ? item.incident : Hashing.hex(item.incident)
    guard item.event.isOpen else {
      return ["routing_key": .text(routingKey), "event_action": "resolve", "dedup_key": .text(key)]
    }
    let link = item.link?.webLink ?? message.link?.webLink
    return [
      "routing_key": .text(routingKey), "event_action": "trigger", "dedup_key": .text(key), "client": "Plumb",
      "client_url": .optional(message.link?.webLink), "payload": payload(item, message),
      "links": link.map { [["href": .text($0), "text": "Open the page"]] },
    ]
  }

  private static func payload(_ item: AlertMessage.Item, _ message: AlertMessage) -> JSONValue {
    var details: [String: JSONValue] = [:]
    for detail in item.details { details[detail.name.cut(200)] = .text(detail.value.cut(4000)) }
    details["Environment"] = .optional(message.environment?.oneLine.cut(200))
    return [
      "summary": .text(item.summary.oneLine.cut(1024)), "source": .text(message.app.oneLine.cut(255)),
      "severity": .text(message.severity.rawValue), "timestamp": .text(item.since.iso8601),
      "component": .optional(message.release?.oneLine.cut(255)), "custom_details": .object(details),
    ]
  }
}
