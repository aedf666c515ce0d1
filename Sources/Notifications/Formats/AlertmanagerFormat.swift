public import Foundation

/// A message as alerts of Prometheus Alertmanager: the body of `POST /api/v2/alerts`.
///
/// Labels are an alert's identity there: only what never changes while an incident is open is one, so that its end meets
/// its beginning. Severity, release and event can change, and are annotations.
public enum AlertmanagerFormat {
  /// The body of the request.
  ///
  /// - Parameters:
  ///   - labels: further labels, the same for every alert of a channel; they must be the same at an incident's end.
  ///   - lasting: Alertmanager ends an alert that is not sent again after five minutes, unless it says itself when it
  ///     ends. An open one says: so many seconds after the message.
  public static func render(
    _ message: AlertMessage, labels: [String: String] = [:], lasting: TimeInterval = 30 * 86400
  ) -> [UInt8] {
    JSONValue.list(message.items.map { alert($0, message, labels, lasting) }).bytes
  }

  /// An end that lies in the future by Alertmanager's clock is no end: the later one that the open alert announced
  /// would win, for all of `lasting`. So an end is told as this many seconds ago.
  private static let skew = 300.0

  private static func alert(
    _ item: AlertMessage.Item, _ message: AlertMessage, _ labels: [String: String], _ lasting: TimeInterval
  ) -> JSONValue {
    var identity = labels.mapValues { JSONValue.text($0.oneLine.cut(500)) }
    identity["alertname"] = "PlumbIncident"
    identity["app"] = .text(message.app.oneLine.cut(500))
    identity["incident"] = .text(item.incident.oneLine.cut(500))
    identity["environment"] = .optional(message.environment?.oneLine.cut(500))
    // Alertmanager refuses an end before the beginning.
    let start = min(item.since, message.time)
    let end = item.event.isOpen ? message.time + lasting : max(start, message.time - skew)
    return [
      "labels": .object(identity), "annotations": annotations(item, message), "startsAt": .text(start.iso8601),
      "endsAt": .text(end.iso8601), "generatorURL": .optional(item.link?.webLink ?? message.link?.webLink),
    ]
  }

  private static func annotations(_ item: AlertMessage.Item, _ message: AlertMessage) -> JSONValue {
    let lines = item.details.map { "\($0.name.cut(200)): \($0.value.cut(2000))" }
    return [
      "summary": .text(item.summary.oneLine.cut(2000)), "description": .text(lines.joined(separator: "\n")),
      "event": .text(item.event.rawValue), "severity": .text(message.severity.rawValue),
      "release": .optional(message.release?.oneLine.cut(500)),
    ]
  }
}
