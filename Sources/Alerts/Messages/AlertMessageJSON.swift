import Foundation
public import Notifications

/// The JSON form in which alert messages are stored in `control.db` until they are delivered.
public enum AlertMessageJSON {
  /// Encodes a message as JSON. Equal messages give equal bytes.
  public static func encode(_ message: AlertMessage) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(StoredAlert(message)))
  }

  /// Decodes the JSON of a message. Throws `DecodingError` for bytes that `encode` did not write.
  public static func decode(_ bytes: [UInt8]) throws -> AlertMessage {
    try JSONDecoder().decode(StoredAlert.self, from: Data(bytes)).message
  }
}

/// The Codable form of a message. Times are whole milliseconds, which encoding and decoding do not change.
private struct StoredAlert: Codable {
  struct Item: Codable {
    var incident: String
    var event: String
    var summary: String
    var facts: [[String]]
    var advice: String?
    var link: String?
    var since: Int64
  }

  var identifier: String
  var event: String
  var severity: String
  var app: String
  var release: String?
  var environment: String?
  var title: String
  var items: [Item]
  var link: String?
  var time: Int64

  init(_ message: AlertMessage) {
    identifier = message.identifier
    event = message.event.rawValue
    severity = message.severity.rawValue
    app = message.app
    release = message.release
    environment = message.environment
    title = message.title
    items = message.items.map { item in
      Item(
        incident: item.incident, event: item.event.rawValue, summary: item.summary,
        facts: item.facts.map { [$0.name, $0.value] }, advice: item.advice, link: item.link,
        since: Self.milliseconds(item.since))
    }
    link = message.link
    time = Self.milliseconds(message.time)
  }

  var message: AlertMessage {
    get throws {
      AlertMessage(
        identifier: identifier, event: try Self.known(event), severity: try Self.known(severity), app: app,
        release: release, environment: environment, title: title, items: try items.map(Self.item), link: link,
        time: Self.date(time))
    }
  }

  private static func item(_ item: Item) throws -> AlertMessage.Item {
    AlertMessage.Item(
      incident: item.incident, event: try known(item.event), summary: item.summary,
      facts: item.facts.compactMap { $0.count == 2 ? AlertMessage.Fact(name: $0[0], value: $0[1]) : nil },
      advice: item.advice, link: item.link, since: date(item.since))
  }

  private static func known<Name: RawRepresentable>(_ text: String) throws -> Name where Name.RawValue == String {
    guard let name = Name(rawValue: text) else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(text) is not known"))
    }
    return name
  }

  private static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }

  private static func date(_ milliseconds: Int64) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
