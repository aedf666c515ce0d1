internal import JSON

/// A message as Plumb's own JSON: everything it holds, unshortened.
public enum WebhookFormat {
  /// The body; `schema` rises when a key changes its meaning.
  public static func render(_ message: AlertMessage) -> [UInt8] {
    let document: JSONNode = [
      "schema": 1, "id": .string(message.identifier), "event": .string(message.event.rawValue),
      "severity": .string(message.severity.rawValue), "app": .string(message.app),
      "release": .ifPresent(message.release),
      "environment": .ifPresent(message.environment), "title": .string(message.title.oneLine),
      "items": .array(message.items.map(item)), "link": .ifPresent(message.link?.webLink),
      "time": .string(message.time.iso8601),
    ]
    return document.bytes
  }

  private static func item(_ item: AlertMessage.Item) -> JSONNode {
    let facts = item.facts.map { ["name": .string($0.name), "value": .string($0.value)] as JSONNode }
    let trend = item.trend.filter(\.value.isFinite).map {
      ["label": .string($0.label), "value": .number($0.value), "text": .string($0.text), "broken": .bool($0.isBroken)]
        as JSONNode
    }
    return [
      "incident": .string(item.incident), "event": .string(item.event.rawValue),
      "summary": .string(item.summary.oneLine),
      "facts": .array(facts), "advice": .ifPresent(item.advice), "link": .ifPresent(item.link?.webLink),
      "since": .string(item.since.iso8601), "trend": trend.isEmpty ? nil : .array(trend),
    ]
  }
}
