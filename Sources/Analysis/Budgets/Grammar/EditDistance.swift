/// The Levenshtein distance between texts: the number of bytes to insert, delete or replace.
enum EditDistance {
  static func between(_ left: String, _ right: String) -> Int {
    let columns = Array(right.utf8)
    var row = Array(0...columns.count)
    for (line, byte) in left.utf8.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, other) in columns.enumerated() {
        let replaced = diagonal + (byte == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[columns.count]
  }

  /// The value of the key nearest to `text`, at a distance of at most `limit`; nil if there is none.
  static func nearest(
    to text: String, in candidates: [(key: String, value: String)], within limit: Int = 2
  ) -> String? {
    guard text.utf8.count <= 200 else { return nil }
    let near = candidates.lazy.map { (distance: between(text, $0.key), value: $0.value) }
      .filter { $0.distance <= limit }
    return near.min { $0.distance < $1.distance }?.value
  }
}
