internal import Foundation
internal import JSON

/// A channel of kind `slack`: an incoming webhook of Slack.
struct SlackChannel: ChannelKind {
  static let name = "slack"

  /// The webhook's address. It is a secret: knowing it is enough to post messages.
  var address: Channel.Address

  var secrets: [SecretSource] { address.secrets }

  static func read(_ options: inout OptionReader, _ network: Channel.Network) -> SlackChannel? {
    options.webAddress(isSecret: true, network).map(Self.init)
  }

  func requests(
    for message: AlertMessage, now: Date, secrets: inout SecretReader
  ) throws(SecretFailure) -> [ChannelRequest] {
    [.web(try WebRequest(json: SlackFormat.render(message), to: address, &secrets))]
  }
}

/// A message for an incoming webhook of Slack, in Block Kit.
///
/// Texts that may come from a device are `plain_text` objects, which Slack does not format, with the three characters
/// escaped that start mentions and links (docs.slack.dev, "Formatting message text"). Limits: 50
/// blocks, a header of 150 and other texts of 3,000 characters.
public enum SlackFormat {
  private static let mostItems = 15

  /// The body of the request.
  public static func render(_ message: AlertMessage) -> [UInt8] {
    var blocks: [JSONNode] = [
      ["type": "header", "text": plain(message.title, 150)],
      ["type": "context", "elements": [plain(message.context, 1000)]],
    ]
    for item in message.items.prefix(mostItems) { blocks += self.blocks(item) }
    if message.items.count > mostItems {
      blocks.append(section("And \(message.items.count - mostItems) more."))
    }
    if let link = message.link?.webLink { blocks.append(self.link(link, "Open in Plumb")) }
    let document: JSONNode = ["text": .string(escaped(message.title.oneLine, 1000)), "blocks": .array(blocks)]
    return document.bytes
  }

  /// A button is an interaction, which an incoming webhook need not have: the link is text.
  private static func blocks(_ item: AlertMessage.Item) -> [JSONNode] {
    let lines = [item.line.cut(1000)] + item.details.map { "\($0.name.cut(100)): \($0.value.cut(700))" }
    let blocks: [JSONNode] = [["type": "divider"], ["type": "section", "text": plain(lines: lines, 3000)]]
    return blocks + (item.link?.webLink.map { [link($0, "Open the page")] } ?? [])
  }

  private static func section(_ text: String) -> JSONNode { ["type": "section", "text": plain(text, 3000)] }

  private static func link(_ address: String, _ label: String) -> JSONNode {
    ["type": "section", "text": mrkdwn(address, label)]
  }

  /// `address` is a `webLink`, which holds none of Slack's delimiters but `&`.
  private static func mrkdwn(_ address: String, _ label: String) -> JSONNode {
    let escaped = address.replacing("&", with: "&amp;")
    return ["type": "mrkdwn", "text": .string("<\(escaped)|\(label)>"), "verbatim": true]
  }

  private static func plain(_ text: String, _ limit: Int) -> JSONNode { plain(lines: [text.oneLine], limit) }

  /// Lines that are one line each already.
  private static func plain(lines: [String], _ limit: Int) -> JSONNode {
    let text = escaped(lines.joined(separator: "\n"), limit)
    return ["type": "plain_text", "text": .string(text), "emoji": false]
  }

  /// Cut by what it is once escaped, so that no entity is cut through. Slack refuses an empty text.
  private static func escaped(_ text: String, _ limit: Int) -> String {
    var result = ""
    for scalar in text.cut(limit, cost: { entity($0)?.utf16.count ?? UTF16.width($0) }).unicodeScalars {
      if let entity = entity(scalar) { result += entity } else { result.unicodeScalars.append(scalar) }
    }
    return result.isEmpty ? "–" : result
  }

  private static func entity(_ scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    default: nil
    }
  }
}
