import Analysis
import Core

/// A table whose rows are cards of two or three lines on a phone: the head, then the values.
struct CardTable: Markup {
  var caption: String
  var columns: [Table.Column]
  /// Whether a row's head is short, so that values follow it on its line.
  var isShort = false
  /// Writes the cells of all rows, each by `HTMLWriter.card`.
  var rows: (inout HTMLWriter) -> Void

  init(
    _ caption: String, _ columns: [Table.Column], isShort: Bool = false, rows: @escaping (inout HTMLWriter) -> Void
  ) {
    self.caption = caption
    self.columns = columns
    self.isShort = isShort
    self.rows = rows
  }

  func write(to html: inout HTMLWriter) {
    html.write(Table(caption, columns, style: isShort ? "slim short" : "slim", rows: rows))
  }
}

extension HTMLWriter {
  /// Writes a cell of a `CardTable`. `head`: what stands before the value in a card; nil for a value that explains
  /// itself.
  mutating func card(_ head: String? = nil, isNumber: Bool = false, content: (inout HTMLWriter) -> Void) {
    element("td", isNumber ? .class("n") : Attribute("class", nil), Attribute("data-head", head), content: content)
  }

  /// Writes a cell with a text; nil means unknown, which a card leaves out.
  mutating func card(_ head: String? = nil, isNumber: Bool = false, text: String?) {
    guard let text else {
      return element("td", isNumber ? .class("n", "none") : .class("none"), text: Quantity.unknown)
    }
    card(head, isNumber: isNumber) { $0.text(text) }
  }
}
