internal import Core
import Foundation
import Storage

/// A channel of kind `alertmanager`: the API v2 of Prometheus Alertmanager.
struct AlertmanagerChannel: ChannelKind {
  static let name = "alertmanager"
  static let takesSummaries = false

  /// The server's address, without `/api/v2/alerts`.
  var address: Channel.Address
  /// Additional labels of every alert.
  var labels: [String: String]
  /// The seconds after which Alertmanager resolves an open alert that is not sent again.
  var lasting: TimeInterval
  /// The token sent as `Authorization: Bearer`; nil for none.
  var token: SecretSource?
  /// The user name and password of HTTP basic authentication.
  var login: Channel.Login?

  /// The default of `lasting` in seconds: 30 days.
  private static let defaultLasting: TimeInterval = 30 * 86400

  var secrets: [SecretSource] { address.secrets + [token, login?.password].compactMap(\.self) }

  static func read(_ options: inout OptionReader, _ network: Channel.Network) -> AlertmanagerChannel? {
    let labels = options.table("labels") ?? [:]
    if let wrong = labels.keys.sorted().first(where: { !isLabel($0) }) {
      options.problem(
        nil, "expected a label of letters, digits and _, not starting with a digit, found \"\(wrong.oneLine.cut(60))\"")
    }
    let lasting = options.duration("lasting", in: 3600...31_536_000) ?? defaultLasting
    let token = options.secret("token")
    let login = options.login()
    return options.webAddress(isSecret: false, network).map {
      AlertmanagerChannel(address: $0, labels: labels, lasting: lasting, token: token, login: login)
    }
  }

  func requests(
    for message: AlertMessage, now: Timestamp, secrets: inout SecretReader
  ) throws(SecretFailure) -> [ChannelRequest] {
    let body = AlertmanagerFormat.render(message, labels: labels, lasting: lasting)
    var request = try WebRequest(json: body, to: address, &secrets)
    request.address = request.address.use { address in
      Secret(address + (address.hasSuffix("/") ? "" : "/") + "api/v2/alerts")
    }
    request.token = try secrets.open(token)
    request.credentials = try secrets.credentials(login)
    return [.web(request)]
  }

  /// Whether a name is a valid Prometheus label that Plumb does not use itself.
  private static func isLabel(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return name.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_")
    }
      && !["alertname", "app", "incident", "environment"].contains(name)
  }
}

/// Formats a message as alerts of Prometheus Alertmanager: the body of `POST /api/v2/alerts`.
///
/// Alertmanager identifies an alert by its labels, so only values that never change while an incident is open are
/// labels. Severity, release and event can change, and are annotations.
enum AlertmanagerFormat {
  /// The body of the request.
  ///
  /// - Parameters:
  ///   - labels: additional labels of every alert, which must not change until an incident ends.
  ///   - lasting: the seconds after the message at which an open alert ends (`endsAt`). Without an `endsAt`,
  ///     Alertmanager resolves alerts that are not sent again within five minutes.
  static func render(
    _ message: AlertMessage, labels: [String: String] = [:], lasting: TimeInterval = 30 * 86400
  ) -> [UInt8] {
    JSONOutput.array(message.items.map { alert($0, message, labels, lasting) }).bytes
  }

  /// The seconds by which the end of an alert is dated back, because Alertmanager does not resolve an alert whose
  /// `endsAt` is in the future by its own clock.
  private static let skew = 300.0

  private static func alert(
    _ item: AlertMessage.Item, _ message: AlertMessage, _ labels: [String: String], _ lasting: TimeInterval
  ) -> JSONOutput {
    var identity = labels.mapValues { JSONOutput.string($0.oneLine.cut(500)) }
    identity["alertname"] = "PlumbIncident"
    identity["app"] = .string(message.app.oneLine.cut(500))
    identity["incident"] = .string(item.incident.oneLine.cut(500))
    identity["environment"] = .ifPresent(message.environment?.oneLine.cut(500))
    // Alertmanager refuses an alert that ends before it starts.
    let start = min(item.since, message.time)
    let end = item.event.isOpen ? later(message.time, by: lasting) : max(start, later(message.time, by: -skew))
    return [
      "labels": .object(sorting: identity), "annotations": annotations(item, message),
      "startsAt": .string(start.iso),
      "endsAt": .string(end.iso), "generatorURL": .ifPresent(item.link?.webLink ?? message.link?.webLink),
    ]
  }

  private static func later(_ time: Timestamp, by seconds: TimeInterval) -> Timestamp {
    Timestamp(milliseconds: time.milliseconds + Int64(seconds * 1000))
  }

  private static func annotations(_ item: AlertMessage.Item, _ message: AlertMessage) -> JSONOutput {
    let lines = item.details.map { "\($0.name.cut(200)): \($0.value.cut(2000))" }
    return [
      "summary": .string(item.summary.oneLine.cut(2000)), "description": .string(lines.joined(separator: "\n")),
      "event": .string(item.event.rawValue), "severity": .string(message.severity.rawValue),
      "release": .ifPresent(message.release?.oneLine.cut(500)),
    ]
  }
}
