public import Core

/// A table of an API response, to be written as CSV. A column is named by the path of its JSON member, such as
/// `crash_free.value`, so that CSV and JSON have the same numbers.
public struct CSVTable {
  let columns: [String]
  let rows: [JSONOutput]

  public init(columns: [String], rows: [JSONOutput]) {
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
public protocol TableConvertible: APIObject {
  static var table: AnswerTable<Self> { get }
  /// Secondary tables of the response.
  static var tables: [DataTable: AnswerTable<Self>] { get }
}

extension TableConvertible {
  public static var tables: [DataTable: AnswerTable<Self>] { [:] }

  /// The main table as CSV.
  public func csv() -> [UInt8] { Self.table.of(self).csv() }

  /// A secondary table of the response; nil if it has no such table.
  public func table(_ name: DataTable) -> CSVTable? { Self.tables[name]?.of(self) }

  /// The main table with one row of made-up values.
  public static func example() -> CSVTable { CSVTable(columns: table.columns, rows: [table.row.example]) }
}

/// A table of a response: which rows it has, and their columns, which are fields of the rows.
public struct AnswerTable<Answer: Sendable>: Sendable {
  let columns: [String]
  let row: ObjectSchema
  private let rows: @Sendable (Answer) -> [JSONOutput]

  /// `only`: the columns, where they are not all of the rows' in their order. `without`: columns that are left out, or
  /// objects with all their columns.
  public init<Row: APIObject>(
    _ rows: @escaping @Sendable (Answer) -> [Row], only columns: [String] = Row.fields.schema.columns,
    without others: [String] = []
  ) {
    self.columns = columns.filter { column in !others.contains { column == $0 || column.hasPrefix($0 + ".") } }
    row = Row.fields.schema
    self.rows = { rows($0).map(\.output) }
  }

  /// The columns that are no members of the rows; empty unless `only` names such.
  package var unknownColumns: [String] { columns.filter { !row.columns.contains($0) } }

  func of(_ answer: Answer) -> CSVTable { CSVTable(columns: columns, rows: rows(answer)) }
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

/// One row of a breakdown, with the dimension that divides the data.
private struct PartRow: APIObject {
  let dimension: String
  let part: Breakdown

  static let fields = Fields<Self> {
    Field("dimension", \.dimension)
    Field("part", \.part)
  }
}

/// One point of the trend of a part.
private struct CoursePoint: APIObject {
  let dimension: String
  let key: String
  let point: TrendPoint

  static let fields = Fields<Self> {
    Field("dimension", \.dimension)
    Field("key", \.key)
    Field("point", \.point)
  }
}

extension AnswerTable {
  /// The breakdowns of a response, one for each dimension.
  public typealias Parts = @Sendable (Answer) -> [(dimension: String, rows: [Breakdown])]

  public static func parts(_ parts: @escaping Parts) -> AnswerTable {
    let estimates = ["value"] + MetricReport.ranks.map { "p\($0)" }
    return AnswerTable(
      { answer in
        parts(answer).flatMap { dimension, rows in rows.map { PartRow(dimension: dimension, part: $0) } }
      },
      only: ["dimension", "part.key", "part.title", "part.verdict", "part.metric.unit", "part.metric.n"]
        + estimates.flatMap { name in Estimate.fields.schema.columns.map { "part.metric.\(name).\($0)" } })
  }

  public static func courses(_ parts: @escaping Parts) -> AnswerTable {
    AnswerTable { answer in
      parts(answer).flatMap { dimension, rows in
        rows.flatMap { row in
          row.trend.map { CoursePoint(dimension: dimension, key: row.key, point: $0) }
        }
      }
    }
  }
}
