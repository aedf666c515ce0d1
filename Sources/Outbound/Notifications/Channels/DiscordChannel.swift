internal import Core
import Storage

/// A channel of kind `discord`: a Discord webhook.
struct DiscordChannel: ChannelKind {
  static let name = "discord"

  /// The webhook's address. It is a secret: knowing it is enough to post messages.
  var address: Channel.Address

  var secrets: [SecretSource] { address.secrets }

  static func read(_ options: inout OptionReader, _ network: Channel.Network) -> DiscordChannel? {
    options.webAddress(isSecret: true, network).map(Self.init)
  }

  func requests(
    for message: AlertMessage, now: Timestamp, secrets: inout SecretReader
  ) throws(SecretFailure) -> [ChannelRequest] {
    [.web(try WebRequest(json: DiscordFormat.render(message), to: address, &secrets))]
  }
}

/// Formats a message for a Discord webhook: one embed.
///
/// Markdown in text from devices is escaped, and mentions are disabled. Discord's limits in UTF-16 units: a title of
/// 256, 25 fields with names of 256 and values of 1,024, and 6,000 in total.
enum DiscordFormat {
  private static let mostItems = 24

  /// The JSON body of the request to the webhook.
  static func render(_ message: AlertMessage) -> [UInt8] {
    let title = escaped(message.title.oneLine, 256)
    let footer = message.context.cut(300)
    var room = 6000 - title.utf16.count - footer.utf16.count - 40
    var fields: [JSONOutput] = []
    for item in message.items.prefix(mostItems) {
      let name = escaped(item.line, min(256, room))
      let value = value(item, min(1024, room - name.utf16.count))
      guard let value else { break }
      room -= name.utf16.count + value.utf16.count
      fields.append(["name": .string(name), "value": .string(value), "inline": false])
    }
    if fields.count < message.items.count {
      fields.append(["name": .string("And \(message.items.count - fields.count) more"), "value": "–", "inline": false])
    }
    let embed: JSONOutput = [
      "title": .string(title), "url": .ifPresent(message.link?.webLink), "color": .count(message.colour),
      "fields": .array(fields), "footer": ["text": .string(footer)], "timestamp": .string(message.time.iso),
    ]
    let document: JSONOutput = ["embeds": [embed], "allowed_mentions": ["parse": []]]
    return document.bytes
  }

  /// The text of an item's field; nil if fewer than 64 units are left. The link is omitted rather than cut, because a
  /// partial link would not work.
  private static func value(_ item: AlertMessage.Item, _ limit: Int) -> String? {
    let link = item.link?.webLink.map { "\n[Open the page](\($0))" } ?? ""
    let linkSize = link.utf16.count <= limit / 2 ? link.utf16.count : 0
    let room = limit - linkSize
    guard room >= 64 else { return nil }
    let lines = item.details.map { "\($0.name): \($0.value.cut(400))" }.joined(separator: "\n")
    return escaped(lines, room) + (linkSize > 0 ? link : "")
  }

  private static func escaped(_ text: String, _ limit: Int) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.cut(limit, cost: { (isMarkup($0) ? 1 : 0) + UTF16.width($0) }).unicodeScalars {
      if isMarkup(scalar) { result.append("\\") }
      result.append(scalar)
    }
    return result.isEmpty ? "–" : String(result)
  }

  /// Whether Discord may interpret a character as Markdown or as part of a mention (`<@`, `@everyone`).
  private static func isMarkup(_ scalar: Unicode.Scalar) -> Bool { "\\*_~`|<>[]#@".unicodeScalars.contains(scalar) }
}
