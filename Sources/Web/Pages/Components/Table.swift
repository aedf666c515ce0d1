import Analysis
import Core

/// A table with a caption and columns. A wide table scrolls inside its frame, also by keyboard.
struct Table: Markup {
  private var caption: String
  private var isWide: Bool
  /// An additional CSS class: `numbers` for a table with only numbers.
  private var style: StaticString?
  private var heads: [(title: String, isNumber: Bool)]
  private var rows: (inout HTMLWriter) -> Void

  /// `isCards`: whether rows are cards on a phone. `rowStyle`: the class of a row.
  init<Row>(
    _ caption: String, of rows: some Sequence<Row>, isWide: Bool = true, style: StaticString? = nil,
    isCards: Bool = false, rowStyle: @escaping (Row) -> Attribute = { _ in Attribute("class", nil) },
    @ColumnList<Row> columns: () -> [Column<Row>]
  ) {
    let columns = columns()
    let cells: CellStyle = isCards ? .card : style == nil ? .plain : .named
    self.caption = caption
    self.isWide = isWide
    self.style = style
    heads = columns.map { ($0.title, $0.isNumber) }
    self.rows = { html in
      for row in rows {
        html.element("tr", rowStyle(row)) { html in
          for column in columns { column.write(row, cells, &html) }
        }
      }
    }
  }

  /// A table whose rows are cards of two or three lines on a phone: the head, then the values. `isShort`: whether a
  /// row's head is short, so that values follow on the same line.
  static func cards<Row>(
    _ caption: String, of rows: some Sequence<Row>, isShort: Bool = false,
    rowStyle: @escaping (Row) -> Attribute = { _ in Attribute("class", nil) },
    @ColumnList<Row> columns: () -> [Column<Row>]
  ) -> Table {
    Table(
      caption, of: rows, style: isShort ? "slim short" : "slim", isCards: true, rowStyle: rowStyle, columns: columns)
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
          for head in heads {
            html.element(
              "th", Attribute("scope", literal: "col"), head.isNumber ? .class("n") : Attribute("class", nil),
              text: head.title)
          }
        }
      }
      html.element("tbody", content: rows)
    }
  }
}

/// A column of a table: its title, and the function that writes a row's cell.
struct Column<Row> {
  let title: String
  var isNumber = false
  private var isRowHead = false
  /// The label before the value on a screen too narrow for columns; nil for a value that needs none.
  private var name: String?
  private var style = Attribute("class", nil)
  /// Whether a row has no value; a card leaves it out.
  private var isAbsent: ((Row) -> Bool)?
  private let content: (Row, inout HTMLWriter) -> Void

  init(
    _ title: String, _ style: Attribute = Attribute("class", nil),
    content: @escaping (Row, inout HTMLWriter) -> Void
  ) {
    (self.title, name, self.style, self.content) = (title, title, style, content)
  }

  /// A column of texts.
  init(_ title: String, _ style: Attribute = Attribute("class", nil), text: @escaping (Row) -> String) {
    self.init(title, style) { $1.text(text($0)) }
  }

  /// The head of each row.
  static func head(_ title: String, content: @escaping (Row, inout HTMLWriter) -> Void) -> Column {
    var column = Column(title, content: content)
    column.isRowHead = true
    return column
  }

  static func head(_ title: String, text: @escaping (Row) -> String) -> Column { head(title) { $1.text(text($0)) } }

  /// A column of numbers, aligned right.
  static func number(_ title: String, content: @escaping (Row, inout HTMLWriter) -> Void) -> Column {
    var column = Column(title, .class("n"), content: content)
    column.isNumber = true
    return column
  }

  static func number(_ title: String, text: @escaping (Row) -> String) -> Column {
    number(title) { $1.text(text($0)) }
  }

  static func count(_ title: String, _ count: @escaping (Row) -> Int?) -> Column {
    var column = number(title) { count($0).map(Decimal.grouped) ?? Quantity.unknown }
    column.isAbsent = { count($0) == nil }
    return column
  }

  /// A column of numbers with their intervals below.
  static func estimate(_ title: String, _ unit: @escaping (Row) -> MetricUnit, _ value: @escaping (Row) -> Estimate?)
    -> Column
  {
    number(title) { $1.estimate(value($0), unit($0)) }
  }

  /// The column with other CSS classes for its cells.
  func styled(_ first: StaticString, _ second: StaticString? = nil) -> Column {
    with { $0.style = second.map { .class(first, $0) } ?? .class(first) }
  }

  /// The column without CSS classes for its cells, in a table that is styled for numbers.
  var unstyled: Column { with { $0.style = Attribute("class", nil) } }

  /// The column with another label before its values on a narrow screen; nil for none.
  func named(_ name: String?) -> Column { with { $0.name = name } }

  /// The column with an unknown value if the condition holds; a card leaves it out.
  func absent(where isAbsent: @escaping (Row) -> Bool) -> Column { with { $0.isAbsent = isAbsent } }

  private func with(_ change: (inout Column) -> Void) -> Column {
    var column = self
    change(&column)
    return column
  }

  fileprivate func write(_ row: Row, _ cells: CellStyle, _ html: inout HTMLWriter) {
    if isRowHead { return html.element("th", Attribute("scope", literal: "row")) { content(row, &$0) } }
    if cells == .card, isAbsent?(row) ?? false {
      return html.element("td", isNumber ? .class("n", "none") : .class("none"), text: Quantity.unknown)
    }
    html.element("td", style, Attribute("data-head", cells == .plain ? nil : name)) { content(row, &$0) }
  }
}

/// Whether cells carry their column's title, which CSS shows beside the value on a screen too narrow for columns.
private enum CellStyle {
  case plain
  case named
  /// As `named`, without unknown values.
  case card
}

@resultBuilder
enum ColumnList<Row> {
  static func buildExpression(_ column: Column<Row>) -> [Column<Row>] { [column] }
  static func buildBlock(_ columns: [Column<Row>]...) -> [Column<Row>] { columns.flatMap { $0 } }
  static func buildOptional(_ columns: [Column<Row>]?) -> [Column<Row>] { columns ?? [] }
  static func buildArray(_ columns: [[Column<Row>]]) -> [Column<Row>] { columns.flatMap { $0 } }
}
