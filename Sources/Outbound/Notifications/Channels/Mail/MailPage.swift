internal import Core
internal import Storage

/// The HTML part of a mail. Uses tables and inline styles, which every mail program supports. Charts are bars of table
/// cells, because mail programs do not show SVG and block remote images.
enum MailPage {
  static func render(_ message: AlertMessage) -> [UInt8] {
    var html = HTMLWriter(capacity: 8 * 1024)
    html.literal("<!doctype html>")
    html.element("html", Attribute("lang", literal: "en")) { html in
      html.element("head") { html in
        html.leaf("meta", Attribute("charset", literal: "utf-8"))
        html.element("title", text: message.title.oneLine)
      }
      html.element("body", Attribute("style", literal: "margin:16px;font:15px/1.45 sans-serif;color:#1c1c1e")) { html in
        heading(message, &html)
        for item in message.items { self.item(item, &html) }
        if let link = message.link?.webLink { paragraph(link, "Open in Plumb", &html) }
      }
    }
    return html.bytes
  }

  private static func heading(_ message: AlertMessage, _ html: inout HTMLWriter) {
    let colour = "#" + digits(message.colour)
    html.element("h1", Attribute("style", "margin:0 0 4px;font-size:19px;color:\(colour)")) { html in
      html.text(message.title.oneLine.cut(1000))
    }
    html.element(
      "p", Attribute("style", literal: "margin:0 0 16px;color:#5c5c61"), text: message.context.cut(1000))
  }

  private static func item(_ item: AlertMessage.Item, _ html: inout HTMLWriter) {
    html.element(
      "h2", Attribute("style", literal: "margin:16px 0 4px;font-size:16px"), text: item.line.cut(2000))
    html.element("table", Attribute("style", literal: "border-collapse:collapse")) { html in
      for detail in item.details {
        html.element("tr") { html in
          html.element(
            "th",
            Attribute("style", literal: "padding:2px 12px 2px 0;text-align:left;vertical-align:top;color:#5c5c61"),
            text: detail.name.cut(200))
          html.element("td", Attribute("style", literal: "padding:2px 0"), text: detail.value.cut(2000))
        }
      }
    }
    MailChart.write(item.trend, to: &html)
    if let link = item.link?.webLink { paragraph(link, "Open the page", &html) }
  }

  private static func paragraph(_ link: String, _ label: String, _ html: inout HTMLWriter) {
    html.element("p") { html in html.element("a", .href(link), text: label) }
  }

  private static func digits(_ colour: Int) -> String {
    let text = String(colour, radix: 16)
    return String(repeating: "0", count: max(0, 6 - text.count)) + text
  }
}

/// A chart of horizontal bars made of table cells. The longest bar has the full width.
enum MailChart {
  private static let width = 240.0
  private static let mostBars = 31

  static func write(_ points: [AlertMessage.TrendPoint], to html: inout HTMLWriter) {
    let bars = points.suffix(mostBars).filter { $0.value.isFinite && $0.value >= 0 }
    guard let longest = bars.map(\.value).max(), longest > 0 else { return }
    html.element("table", Attribute("style", literal: "margin-top:8px;border-collapse:collapse;font-size:13px")) {
      html in
      for bar in bars { row(bar, share: bar.value / longest, &html) }
    }
  }

  private static func row(_ bar: AlertMessage.TrendPoint, share: Double, _ html: inout HTMLWriter) {
    let length = max(1, Int((share * width).rounded()))
    let colour = bar.isBroken ? "#c62828" : "#5b8def"
    html.element("tr") { html in
      html.element("td", Attribute("style", literal: "padding:1px 10px 1px 0;white-space:nowrap")) { html in
        html.text(bar.label.oneLine.cut(40))
      }
      html.element("td", Attribute("style", literal: "padding:1px 0")) { html in
        html.element("table", Attribute("style", literal: "border-collapse:collapse")) { html in
          html.element("tr") { html in
            html.element(
              "td", Attribute("width", "\(length)"), Attribute("height", literal: "12"),
              Attribute("style", "width:\(length)px;height:12px;background:\(colour)"), text: "")
            html.element("td", Attribute("style", literal: "padding-left:8px;white-space:nowrap")) { html in
              // The text repeats what the colour shows (WCAG 1.4.1).
              html.text(bar.text.oneLine.cut(40) + (bar.isBroken ? " (outside its budget)" : ""))
            }
          }
        }
      }
    }
  }
}
