import Testing

/// A whole page, parsed and checked for what holds on every page.
enum HTMLPage {
  /// The root of a page; the test fails where the page breaks a rule that every page keeps.
  static func parse(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws -> Element {
    let root = try HTMLParser.parse(bytes)
    let faults = faults(root)
    #expect(faults.isEmpty, sourceLocation: sourceLocation)
    return root
  }

  /// What is wrong beyond syntax: ids twice, links and labels to ids that do not exist, rows with another number of
  /// cells than their table has columns, headings that skip a level.
  static func faults(_ root: Element) -> [String] {
    let elements = root.descendants
    let ids = elements.compactMap { $0["id"] }
    var faults = Dictionary(grouping: ids) { $0 }.filter { $0.value.count > 1 }.keys.map { "two elements are #\($0)" }
    let known = Set(ids)
    for element in elements {
      for (name, value) in element.attributes {
        let target: Substring? =
          switch name {
          case "href" where value.hasPrefix("#"): value.dropFirst()
          case "for", "aria-labelledby", "aria-describedby": value[...]
          default: nil
          }
        if let target, !known.contains(String(target)) { faults.append("\(name)=\"\(value)\" leads nowhere") }
        if name == "href", value.isEmpty { faults.append("a link without an address: \(element.text)") }
      }
      if element.name == "table" { faults += Self.faults(ofTable: element) }
      if element.name == "a", element.text.isEmpty, !element.has("svg, img, rect") {
        faults.append("a link that cannot be read: \(element["href"] ?? "")")
      }
    }
    let levels = elements.compactMap { $0.name.count == 2 && $0.name.first == "h" ? Int($0.name.dropFirst()) : nil }
    for (level, next) in zip(levels, levels.dropFirst()) where next > level + 1 {
      faults.append("h\(next) follows h\(level)")
    }
    return faults
  }

  private static func faults(ofTable element: Element) -> [String] {
    let table = PageTable(element)
    let caption = element.elements.first?.text ?? ""
    guard element.elements.first?.name == "caption", !caption.isEmpty else { return ["a table without a caption"] }
    return table.rows.filter { $0.cells.count != table.columns.count }.map {
      "\(caption): the row \($0.head) has \($0.cells.count) cells for \(table.columns.count) columns"
    } + table.rows.filter { $0.cells.first?["scope"] != "row" }.map { "\(caption): the row \($0.head) has no head" }
  }
}
