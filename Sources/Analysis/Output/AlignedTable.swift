/// A table as lines of text with aligned columns.
enum AlignedTable {
  /// Pads the cells of each column to the widest one. The last column is not padded.
  static func lines(_ rows: [[String]]) -> [String] {
    guard let columns = rows.first?.count else { return [] }
    let widths = (0..<columns).map { column in rows.map { $0[column].unicodeScalars.count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).dropLast().map { text, width in
        text + String(repeating: " ", count: max(0, width - text.unicodeScalars.count))
      }
      return (cells + [row.last ?? ""]).joined(separator: "  ")
    }
  }
}
