package import Core

/// A table of an API response, to be written as CSV. A column is named by the path of its JSON member, such as
/// `crash_free.value`, so that CSV and JSON have the same numbers.
public struct CSVTable {
  let columns: [String]
  let rows: [JSONOutput]

  package init(columns: [String], rows: [JSONOutput]) {
    self.columns = columns
    self.rows = rows
  }

  /// The table in CSV (RFC 4180): a line of names, then one line per row, each ended by CR LF. Unknown values are empty
  /// cells.
  public func csv() -> [UInt8] {
    var bytes: [UInt8] = []
    let paths = columns.map { $0.split(separator: ".").map(String.init) }
    write(paths.map { .string($0.joined(separator: "_")) }, into: &bytes)
    for row in rows { write(paths.map { row.member($0) }, into: &bytes) }
    return bytes
  }

  private func write(_ cells: [JSONOutput], into bytes: inout [UInt8]) {
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

  /// Writes a text cell. Spreadsheets execute text that begins like a formula, and some texts come from devices, so
  /// such a text gets an apostrophe in front. Numbers are written elsewhere and keep their minus sign.
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

  /// The first characters of formulas: `= + - @`, tab and carriage return (OWASP, CSV injection).
  private static let formulaStarts: Set<UInt8> = [0x3d, 0x2b, 0x2d, 0x40, 0x09, 0x0d]
  /// The characters for which a cell needs quotation marks: `"`, comma, line feed, carriage return.
  private static let special: Set<UInt8> = [0x22, 0x2c, 0x0a, 0x0d]
}

/// A response of the API that is available as JSON and as CSV.
public protocol TableConvertible {
  /// The response as JSON. Unknown values are null.
  func json() -> [UInt8]
  var table: CSVTable { get }
  /// A secondary table of the response; nil if it has no such table.
  func table(_ name: DataTable) -> CSVTable?
}

extension JSONOutput {
  /// The value at a path of member names; null if a member is missing.
  func member(_ path: [String]) -> JSONOutput {
    path.reduce(self) { value, name in
      guard case .object(let members) = value else { return .null }
      return members.first { $0.0 == name }?.1 ?? .null
    }
  }
}

/// The secondary tables of responses, which contain the data of one chart or table of the page.
public enum DataTable: String, CaseIterable, Sendable {
  /// The buckets of a distribution.
  case distribution
  /// One row for each release, device class, system, model and label.
  case parts
  /// The trends of those parts: one row per part and point.
  case courses
  /// The trend of the whole: one row per point.
  case trend
}

extension TableConvertible {
  /// By default a response has no secondary tables.
  public func table(_ name: DataTable) -> CSVTable? { nil }
}

extension CSVTable {
  /// The breakdowns of a response, one for each dimension.
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
