internal import HTML

/// Horizontal bars made of table cells, from zero to the longest.
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
              // Colour alone would not tell it to everybody.
              html.text(bar.text.oneLine.cut(40) + (bar.isBroken ? " (outside its budget)" : ""))
            }
          }
        }
      }
    }
  }
}
