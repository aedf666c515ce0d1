public import Foundation
internal import JSON

/// A message as alerts of Prometheus Alertmanager: the body of `POST /api/v2/alerts`.
///
/// Labels identify an alert there, so only values that never change while an incident is open are labels; otherwise its
/// end would not match its beginning. Severity, release and event can change, and are annotations.
public enum AlertmanagerFormat {
  /// The body of the request.
  ///
  /// - Parameters:
  ///   - labels: further labels, the same for every alert of a channel; they must be the same at an incident's end.
  ///   - lasting: Alertmanager resolves an alert that is not sent again within five minutes unless it has an `endsAt`.
  ///     That of an open alert is so many seconds after the message.
  public static func render(
    _ message: AlertMessage, labels: [String: String] = [:], lasting: TimeInterval = 30 * 86400
  ) -> [UInt8] {
    JSONNode.array(message.items.map { alert($0, message, labels, lasting) }).bytes
  }

  /// Seconds by which an end is dated back. An `endsAt` in the future by Alertmanager's clock would not resolve the
  /// alert.
  private static let skew = 300.0

  private static func alert(
    _ item: AlertMessage.Item, _ message: AlertMessage, _ labels: [String: String], _ lasting: TimeInterval
  ) -> JSONNode {
    var identity = labels.mapValues { JSONNode.string($0.oneLine.cut(500)) }
    identity["alertname"] = "PlumbIncident"
    identity["app"] = .string(message.app.oneLine.cut(500))
    identity["incident"] = .string(item.incident.oneLine.cut(500))
    identity["environment"] = .ifPresent(message.environment?.oneLine.cut(500))
    // Alertmanager refuses an end before the beginning.
    let start = min(item.since, message.time)
    let end = item.event.isOpen ? message.time + lasting : max(start, message.time - skew)
    return [
      "labels": .object(sorting: identity), "annotations": annotations(item, message),
      "startsAt": .string(start.iso8601),
      "endsAt": .string(end.iso8601), "generatorURL": .ifPresent(item.link?.webLink ?? message.link?.webLink),
    ]
  }

  private static func annotations(_ item: AlertMessage.Item, _ message: AlertMessage) -> JSONNode {
    let lines = item.details.map { "\($0.name.cut(200)): \($0.value.cut(2000))" }
    return [
      "summary": .string(item.summary.oneLine.cut(2000)), "description": .string(lines.joined(separator: "\n")),
      "event": .string(item.event.rawValue), "severity": .string(message.severity.rawValue),
      "release": .ifPresent(message.release?.oneLine.cut(500)),
    ]
  }
}
