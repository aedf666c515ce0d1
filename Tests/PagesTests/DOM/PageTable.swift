import Testing

/// A table of a page by its columns and rows.
struct PageTable {
  let element: Element
  let columns: [String]
  let rows: [Row]

  struct Row {
    let element: Element
    let cells: [Element]
    fileprivate let columns: [String]

    /// The text of the head of the row.
    var head: String { cells.first?.text ?? "" }
    var texts: [String] { cells.map(\.text) }

    /// The text under a head of a column; of the first of that name.
    subscript(column: String) -> String? {
      columns.firstIndex(of: column).flatMap { cells.indices.contains($0) ? cells[$0].text : nil }
    }

    func cell(_ column: String) throws -> Element {
      let index = try #require(columns.firstIndex(of: column), "no column is called \(column)")
      return cells[index]
    }
  }

  init(_ element: Element) {
    self.element = element
    let columns = element.texts("thead th")
    self.columns = columns
    rows = element.all("tbody tr").map { Row(element: $0, cells: $0.elements, columns: columns) }
  }

  /// The heads of the rows, in their order.
  var heads: [String] { rows.map(\.head) }

  /// The texts of a column, in the order of the rows.
  func column(_ name: String) -> [String] { rows.map { $0[name] ?? "" } }

  /// The only row whose head begins so.
  func row(_ head: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Row {
    let found = rows.filter { $0.head == head || $0.head.hasPrefix(head + " ") }
    try #require(found.count == 1, "\(found.count) rows begin with \(head)", sourceLocation: sourceLocation)
    return found[0]
  }
}
