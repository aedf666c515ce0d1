import Core

/// A table with a caption and column heads. A wide one scrolls inside its frame, also by keyboard.
struct Table: Markup {
  struct Column {
    var title: String
    var isNumber = false
  }

  var caption: String
  var columns: [Column]
  var isWide = true
  /// An additional CSS class: `numbers` for a table with only numbers.
  var style: StaticString?
  var rows: (inout HTMLWriter) -> Void

  init(
    _ caption: String, _ columns: [Column], isWide: Bool = true, style: StaticString? = nil,
    rows: @escaping (inout HTMLWriter) -> Void
  ) {
    self.caption = caption
    self.columns = columns
    self.isWide = isWide
    self.style = style
    self.rows = rows
  }

  func write(to html: inout HTMLWriter) {
    guard isWide else { return table(&html) }
    html.element(
      "div", .class("scroll"), Attribute("role", literal: "region"), Attribute("tabindex", literal: "0"),
      Attribute("aria-label", caption)
    ) { table(&$0) }
  }

  private func table(_ html: inout HTMLWriter) {
    html.element("table", style.map { .class($0) } ?? Attribute("class", nil)) { html in
      html.element("caption", text: caption)
      html.element("thead") { html in
        html.element("tr") { html in
          for column in columns {
            html.element(
              "th", Attribute("scope", literal: "col"), column.isNumber ? .class("n") : Attribute("class", nil),
              text: column.title)
          }
        }
      }
      html.element("tbody", content: rows)
    }
  }
}

extension Table.Column: ExpressibleByStringLiteral {
  init(stringLiteral title: String) { self.init(title: title) }

  /// A column of numbers, aligned right.
  static func number(_ title: String) -> Self { Self(title: title, isNumber: true) }
}

extension HTMLWriter {
  /// Writes a row of a table.
  mutating func row(_ cells: (inout HTMLWriter) -> Void) { element("tr", content: cells) }

  /// Writes the head cell of a row.
  mutating func rowHead(_ content: (inout HTMLWriter) -> Void) {
    element("th", Attribute("scope", literal: "row"), content: content)
  }

  mutating func rowHead(text: String) { element("th", Attribute("scope", literal: "row"), text: text) }
}
