/// A message for the webhook of a workflow in Microsoft Teams: an Adaptive Card.
///
/// Texts stand in `TextRun`s, which know no Markdown (`TextBlock` and `Fact` do). Teams takes messages of at most 28 KB.
public enum TeamsFormat {
  private static let mostBytes = 24_000

  /// The body of the request.
  public static func render(_ message: AlertMessage) -> [UInt8] {
    var body: [JSONValue] = [
      block([run(message.title, 300, bold: true, colour: colour(message))]), block([run(message.context, 400)]),
    ]
    var room = mostBytes
    var shown = 0
    for item in message.items {
      let blocks = blocks(item)
      let size = JSONValue.list(blocks).bytes.count
      guard size <= room else { break }
      room -= size
      shown += 1
      body += blocks
    }
    if shown < message.items.count { body.append(block([run("And \(message.items.count - shown) more.", 100)])) }
    let actions = message.link?.webLink.map { [open($0, "Open in Plumb")] } ?? []
    let card: JSONValue = [
      "type": "AdaptiveCard", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "version": "1.4",
      "body": .list(body), "actions": actions.isEmpty ? nil : .list(actions), "msteams": ["width": "Full"],
    ]
    let document: JSONValue = [
      "type": "message",
      "attachments": [["contentType": "application/vnd.microsoft.card.adaptive", "content": card]],
    ]
    return document.bytes
  }

  private static func blocks(_ item: AlertMessage.Item) -> [JSONValue] {
    var blocks = [block([run(item.line, 1000, bold: true)], isSeparate: true)]
    for detail in item.details.prefix(12) {
      blocks.append(block([run("\(detail.name.cut(100)): ", 110, bold: true), run(detail.value, 500)]))
    }
    if let link = item.link?.webLink {
      blocks.append(["type": "ActionSet", "actions": [open(link, "Open the page")]])
    }
    return blocks
  }

  private static func block(_ runs: [JSONValue], isSeparate: Bool = false) -> JSONValue {
    ["type": "RichTextBlock", "inlines": .list(runs), "separator": isSeparate ? true : nil]
  }

  private static func run(_ text: String, _ limit: Int, bold: Bool = false, colour: String? = nil) -> JSONValue {
    // A trailing space parts a name from its value; oneLine would take it.
    let line = text.oneLine.cut(limit) + (text.hasSuffix(" ") ? " " : "")
    return [
      "type": "TextRun", "text": .text(line), "weight": bold ? "Bolder" : nil, "color": .optional(colour),
    ]
  }

  private static func open(_ link: String, _ title: String) -> JSONValue {
    ["type": "Action.OpenUrl", "title": .text(title), "url": .text(link)]
  }

  private static func colour(_ message: AlertMessage) -> String {
    if message.event == .digest { return "Accent" }
    guard message.event.isOpen else { return "Good" }
    return message.severity == .critical ? "Attention" : message.severity == .warning ? "Warning" : "Accent"
  }
}
