/// A message as Plumb's own JSON: everything it holds, unshortened.
public enum WebhookFormat {
  /// The body; `schema` rises when a key changes its meaning.
  public static func render(_ message: AlertMessage) -> [UInt8] {
    let document: JSONValue = [
      "schema": 1, "id": .text(message.identifier), "event": .text(message.event.rawValue),
      "severity": .text(message.severity.rawValue), "app": .text(message.app), "release": .optional(message.release),
      "environment": .optional(message.environment), "title": .text(message.title.oneLine),
      "items": .list(message.items.map(item)), "link": .optional(message.link?.webLink),
      "time": .text(message.time.iso8601),
    ]
    return document.bytes
  }

  private static func item(_ item: AlertMessage.Item) -> JSONValue {
    let facts = item.facts.map { ["name": .text($0.name), "value": .text($0.value)] as JSONValue }
    let trend = item.trend.filter(\.value.isFinite).map {
      ["label": .text($0.label), "value": .number($0.value), "text": .text($0.text), "broken": .flag($0.isBroken)]
        as JSONValue
    }
    return [
      "incident": .text(item.incident), "event": .text(item.event.rawValue), "summary": .text(item.summary.oneLine),
      "facts": .list(facts), "advice": .optional(item.advice), "link": .optional(item.link?.webLink),
      "since": .text(item.since.iso8601), "trend": trend.isEmpty ? nil : .list(trend),
    ]
  }
}
