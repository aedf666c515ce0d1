public import Core

/// An API response that is available as JSON and as CSV.
public protocol TableConvertible: APIObject {
  static var table: AnswerTable<Self> { get }
  /// Secondary tables of the response.
  static var tables: [AnswerTableName: AnswerTable<Self>] { get }
}

extension TableConvertible {
  public static var tables: [AnswerTableName: AnswerTable<Self>] { [:] }

  /// The main table as CSV.
  public func csv() -> [UInt8] { Self.table.of(self).csv() }

  /// A secondary table of the response; nil if it has no such table.
  public func table(_ name: AnswerTableName) -> CSVTable? { Self.tables[name]?.of(self) }

  /// The main table with one row of example values.
  public static func example() -> CSVTable { CSVTable(columns: table.columns, rows: [table.row.example]) }
}
