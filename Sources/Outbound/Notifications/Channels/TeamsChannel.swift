internal import Core
import Storage

/// A channel of kind `teams`: the webhook of a Microsoft Teams workflow.
struct TeamsChannel: ChannelKind {
  static let name = "teams"

  /// The webhook's address. It is a secret: knowing it is enough to post messages.
  var address: Channel.Address

  var secrets: [SecretSource] { address.secrets }

  static func read(_ options: inout OptionReader, _ network: Channel.Network) -> TeamsChannel? {
    options.webAddress(isSecret: true, network).map(Self.init)
  }

  func requests(
    for message: AlertMessage, now: Timestamp, secrets: inout SecretReader
  ) throws(SecretFailure) -> [ChannelRequest] {
    [.web(try WebRequest(json: TeamsFormat.render(message), to: address, &secrets))]
  }
}

/// Formats a message for the webhook of a Microsoft Teams workflow: an Adaptive Card.
///
/// Texts are `TextRun`s, which Teams does not parse as Markdown (unlike `TextBlock` and `Fact`). Teams accepts messages
/// of at most 28 KB.
enum TeamsFormat {
  private static let mostBytes = 24_000

  /// The JSON body of the request to the webhook.
  static func render(_ message: AlertMessage) -> [UInt8] {
    var body: [JSONOutput] = [
      block([run(message.title, 300, bold: true, colour: colour(message))]), block([run(message.context, 400)]),
    ]
    var room = mostBytes
    var shown = 0
    for item in message.items {
      let blocks = blocks(item)
      let size = JSONOutput.array(blocks).bytes.count
      guard size <= room else { break }
      room -= size
      shown += 1
      body += blocks
    }
    if shown < message.items.count { body.append(block([run("And \(message.items.count - shown) more.", 100)])) }
    let actions = message.link?.webLink.map { [open($0, "Open in Plumb")] } ?? []
    let card: JSONOutput = [
      "type": "AdaptiveCard", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "version": "1.4",
      "body": .array(body), "actions": actions.isEmpty ? nil : .array(actions), "msteams": ["width": "Full"],
    ]
    let document: JSONOutput = [
      "type": "message",
      "attachments": [["contentType": "application/vnd.microsoft.card.adaptive", "content": card]],
    ]
    return document.bytes
  }

  private static func blocks(_ item: AlertMessage.Item) -> [JSONOutput] {
    var blocks = [block([run(item.line, 1000, bold: true)], isSeparate: true)]
    for detail in item.details.prefix(12) {
      blocks.append(block([run("\(detail.name.cut(100)): ", 110, bold: true), run(detail.value, 500)]))
    }
    if let link = item.link?.webLink {
      blocks.append(["type": "ActionSet", "actions": [open(link, "Open the page")]])
    }
    return blocks
  }

  private static func block(_ runs: [JSONOutput], isSeparate: Bool = false) -> JSONOutput {
    ["type": "RichTextBlock", "inlines": .array(runs), "separator": isSeparate ? true : nil]
  }

  private static func run(_ text: String, _ limit: Int, bold: Bool = false, colour: String? = nil) -> JSONOutput {
    // `oneLine` removes the trailing space that separates a name from its value.
    let line = text.oneLine.cut(limit) + (text.hasSuffix(" ") ? " " : "")
    return [
      "type": "TextRun", "text": .string(line), "weight": bold ? "Bolder" : nil, "color": .ifPresent(colour),
    ]
  }

  private static func open(_ link: String, _ title: String) -> JSONOutput {
    ["type": "Action.OpenUrl", "title": .string(title), "url": .string(link)]
  }

  private static func colour(_ message: AlertMessage) -> String {
    if message.event == .digest { return "Accent" }
    guard message.event.isOpen else { return "Good" }
    return message.severity == .critical ? "Attention" : message.severity == .warning ? "Warning" : "Accent"
  }
}
