public import Storage

/// Formats a message as plain text, for mail programs that show no HTML.
///
///     p90 launch.first_draw of 4.2.0 is broken
///     critical · com.example.shop 4.2.0 · production · 2026-11-20 09:15 UTC
///
///     New: p90 launch.first_draw 2.41 s (2.30 to 2.52, n = 8,120), budget <= 2 s
///       Since: 2026-11-20 09:00 UTC
///       https://plumb.example.com/…
public enum PlainTextFormat {
  /// The text. Every line begins with text of Plumb, so that text from a device cannot imitate a line.
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
