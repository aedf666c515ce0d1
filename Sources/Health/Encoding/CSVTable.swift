package import JSON

/// Rows of an API answer, to be written as CSV. A column is named by the members that lead to it, `crash_free.value`,
/// so that a table holds the very numbers of the JSON.
public struct CSVTable {
  let columns: [String]
  let rows: [JSONNode]

  package init(columns: [String], rows: [JSONNode]) {
    self.columns = columns
    self.rows = rows
  }

  /// RFC 4180: a line of names, then one line per row, each ended by CR LF. What is not known is an empty cell.
  public func csv() -> [UInt8] {
    var bytes: [UInt8] = []
    let paths = columns.map { $0.split(separator: ".").map(String.init) }
    write(paths.map { .string($0.joined(separator: "_")) }, into: &bytes)
    for row in rows { write(paths.map { row.member($0) }, into: &bytes) }
    return bytes
  }

  private func write(_ cells: [JSONNode], into bytes: inout [UInt8]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      switch cell {
      case .null: break
      case .string(let text): write(text, into: &bytes)
      default: bytes += cell.encoded()
      }
    }
    bytes += [0x0d, 0x0a]
  }

  /// Spreadsheets run a text that begins like a formula, and these texts come from devices: an apostrophe before it
  /// keeps it a text. Numbers are never texts, so that a minus sign stays one.
  private func write(_ text: String, into bytes: inout [UInt8]) {
    let isFormula = text.utf8.first.map(Self.formulaStarts.contains) ?? false
    let guarded = isFormula ? "'" + text : text
    guard guarded.utf8.contains(where: Self.special.contains) else {
      bytes += guarded.utf8
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for byte in guarded.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// `= + - @`, tab and carriage return (OWASP, CSV injection).
  private static let formulaStarts: Set<UInt8> = [0x3d, 0x2b, 0x2d, 0x40, 0x09, 0x0d]
  /// `"`, comma, line feed, carriage return.
  private static let special: Set<UInt8> = [0x22, 0x2c, 0x0a, 0x0d]
}

/// An answer of the API that is a table, too.
public protocol TableConvertible {
  /// The JSON of the API. What is not known is null.
  func json() -> [UInt8]
  var table: CSVTable { get }
  /// Another table of the same answer; nil where it has no such table.
  func table(_ name: DataTable) -> CSVTable?
}

extension JSONNode {
  /// The value under these member names, one in the other; null when one is missing.
  func member(_ path: [String]) -> JSONNode {
    path.reduce(self) { value, name in
      guard case .object(let members) = value else { return .null }
      return members.first { $0.0 == name }?.1 ?? .null
    }
  }
}

/// A table of an answer beside its main one: what one chart or table of the page shows.
public enum DataTable: String, CaseIterable, Sendable {
  /// The buckets of a distribution.
  case distribution
  /// A row for each release, class of devices, system, model and label.
  case parts
  /// The course of those parts: a row for each part and point.
  case courses
  /// The course of the whole: a row for each point.
  case trend
}

extension TableConvertible {
  /// Nil where an answer has no such table.
  public func table(_ name: DataTable) -> CSVTable? { nil }
}

extension CSVTable {
  /// The parts of an answer, by what they divide it.
  package typealias Parts = [(dimension: String, rows: [Breakdown])]

  package static func parts(_ parts: Parts) -> CSVTable {
    let estimates = ["value"] + MetricReport.ranks.map { "p\($0)" }
    let columns =
      ["dimension", "part.key", "part.title", "part.verdict", "part.metric.unit", "part.metric.n"]
      + estimates.flatMap { name in ["value", "low", "high"].map { "part.metric.\(name).\($0)" } }
    return CSVTable(
      columns: columns,
      rows: parts.flatMap { dimension, rows in
        rows.map { .object([("dimension", .string(dimension)), ("part", $0.json)]) }
      })
  }

  package static func courses(_ parts: Parts) -> CSVTable {
    CSVTable(
      columns: ["dimension", "key"] + TrendPoint.columns.map { "point.\($0)" },
      rows: parts.flatMap { dimension, rows in
        rows.flatMap { row in
          row.trend.map { point in
            .object([("dimension", .string(dimension)), ("key", .string(row.key)), ("point", point.json)])
          }
        }
      })
  }

  package static func trend(_ points: [TrendPoint]) -> CSVTable {
    CSVTable(columns: TrendPoint.columns, rows: points.map(\.json))
  }
}
