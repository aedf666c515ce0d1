public import Storage

extension AlertMessage.Event {
  /// The word before an item's summary.
  var words: String {
    switch self {
    case .opened: "New"
    case .worsened: "Worse"
    case .stillBroken: "Still open"
    case .resolved: "Resolved"
    case .retired: "Ended"
    case .digest: "Digest"
    }
  }

  /// Whether the incident is open after the event.
  var isOpen: Bool { self == .opened || self == .worsened || self == .stillBroken }
}

extension AlertMessage {
  /// The second line of a message: `critical · com.example.shop 4.2.0 · production · 2026-11-20 09:15 UTC`.
  var context: String {
    [
      event == .digest ? nil : severity.rawValue, ([app] + [release].compactMap(\.self)).joined(separator: " "),
      environment, time.utcMinute,
    ]
    .compactMap { $0?.oneLine.cut(200) }.filter { !$0.isEmpty }.joined(separator: " · ")
  }

  /// The colour for the event and severity, as 0xRRGGBB: green for an end, blue for a summary, otherwise red, amber or
  /// blue.
  var colour: Int {
    if event == .digest { return 0x1565C0 }
    guard event.isOpen else { return 0x2E7D32 }
    return switch severity {
    case .critical: 0xC62828
    case .warning: 0xB26A00
    case .info: 0x1565C0
    }
  }
}

extension AlertMessage.Item {
  /// The item's first line: `New: p90 launch.first_draw …`.
  var line: String { event == .digest ? summary.oneLine : "\(event.words): \(summary.oneLine)" }

  /// The names and values below the item's first line: the start, the facts and the advice. Each is one line.
  var details: [(name: String, value: String)] {
    var details = facts.map { (name: $0.name.oneLine, value: $0.value.oneLine) }
    if event != .digest { details.insert(("Since", since.utcDayOrMinute), at: 0) }
    if let advice { details.append(("Check first", advice.oneLine)) }
    return details
  }
}

/// Formats a message as plain text, for mail programs without HTML.
///
///     p90 launch.first_draw of 4.2.0 is broken
///     critical · com.example.shop 4.2.0 · production · 2026-11-20 09:15 UTC
///
///     New: p90 launch.first_draw 2.41 s (2.30 to 2.52, n = 8,120), budget <= 2 s
///       Since: 2026-11-20 09:00 UTC
///       https://plumb.example.com/…
public enum PlainTextFormat {
  /// The message's text. Every line begins with Plumb's own text, so that text from a device cannot imitate a line.
  public static func render(_ message: AlertMessage) -> String {
    var lines = [message.title.oneLine.cut(1000), message.context]
    for item in message.items {
      lines += ["", item.line.cut(2000)]
      lines += item.details.map { "  \($0.name.cut(200)): \($0.value.cut(2000))" }
      lines += item.trend.map {
        "  \($0.label.oneLine.cut(40))  \($0.text.oneLine.cut(40))\($0.isBroken ? "  outside its budget" : "")"
      }
      if let link = item.link?.webLink { lines.append("  \(link)") }
    }
    if let link = message.link?.webLink { lines += ["", link] }
    return lines.joined(separator: "\n") + "\n"
  }
}
