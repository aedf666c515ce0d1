internal import Core
public import Storage

/// A channel of kind `slack`: a Slack incoming webhook.
struct SlackChannel: ChannelKind {
  static let name = "slack"

  /// The webhook's address. It is a secret: knowing it is enough to post messages.
  var address: Channel.Address

  var secrets: [SecretSource] { address.secrets }

  static func read(_ options: inout OptionReader, _ network: Channel.Network) -> SlackChannel? {
    options.webAddress(isSecret: true, network).map(Self.init)
  }

  func requests(
    for message: AlertMessage, now: Timestamp, secrets: inout SecretReader
  ) throws(SecretFailure) -> [ChannelRequest] {
    [.web(try WebRequest(json: SlackFormat.render(message), to: address, &secrets))]
  }
}

/// Formats a message for a Slack incoming webhook, in Block Kit.
///
/// Texts that may come from a device are `plain_text` objects, which Slack does not format, and the three characters
/// that start mentions and links are escaped (docs.slack.dev, "Formatting message text"). Slack's limits: 50 blocks,
/// 150 characters in a header, 3,000 characters in other texts.
public enum SlackFormat {
  private static let mostItems = 15

  /// The JSON body of the request to the webhook.
  public static func render(_ message: AlertMessage) -> [UInt8] {
    var blocks: [JSONOutput] = [
      ["type": "header", "text": plain(message.title, 150)],
      ["type": "context", "elements": [plain(message.context, 1000)]],
    ]
    for item in message.items.prefix(mostItems) { blocks += self.blocks(item) }
    if message.items.count > mostItems {
      blocks.append(section("And \(message.items.count - mostItems) more."))
    }
    if let link = message.link?.webLink { blocks.append(self.link(link, "Open in Plumb")) }
    let document: JSONOutput = ["text": .string(escaped(message.title.oneLine, 1000)), "blocks": .array(blocks)]
    return document.bytes
  }

  /// The blocks of one item. The link is text instead of a button, because incoming webhooks may not support
  /// interactions.
  private static func blocks(_ item: AlertMessage.Item) -> [JSONOutput] {
    let lines = [item.line.cut(1000)] + item.details.map { "\($0.name.cut(100)): \($0.value.cut(700))" }
    let blocks: [JSONOutput] = [["type": "divider"], ["type": "section", "text": plain(lines: lines, 3000)]]
    return blocks + (item.link?.webLink.map { [link($0, "Open the page")] } ?? [])
  }

  private static func section(_ text: String) -> JSONOutput { ["type": "section", "text": plain(text, 3000)] }

  private static func link(_ address: String, _ label: String) -> JSONOutput {
    ["type": "section", "text": mrkdwn(address, label)]
  }

  /// A link. `address` must be a `webLink`, which contains none of Slack's delimiters except `&`.
  private static func mrkdwn(_ address: String, _ label: String) -> JSONOutput {
    let escaped = address.replacing("&", with: "&amp;")
    return ["type": "mrkdwn", "text": .string("<\(escaped)|\(label)>"), "verbatim": true]
  }

  private static func plain(_ text: String, _ limit: Int) -> JSONOutput { plain(lines: [text.oneLine], limit) }

  /// A text of several lines, to each of which `oneLine` must have been applied.
  private static func plain(lines: [String], _ limit: Int) -> JSONOutput {
    let text = escaped(lines.joined(separator: "\n"), limit)
    return ["type": "plain_text", "text": .string(text), "emoji": false]
  }

  /// Escapes text. `limit`: the length of the escaped text, in which no entity is cut. An empty text becomes a dash,
  /// because Slack rejects empty texts.
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
