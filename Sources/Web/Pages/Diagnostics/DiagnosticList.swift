public import Analysis
import Core
public import Storage

/// A part of the list of an app's diagnostics.
public struct DiagnosticList: Sendable, Equatable {
  public var app: String
  /// The kind of diagnostics that is listed; nil for all.
  var kind: DiagnosticKind?
  /// The newest first.
  public var diagnostics: [StoredDiagnostic]
  /// The value of the parameter `before` for the next part; nil for the last.
  var next: Int64?

  /// The most diagnostics in one part.
  static let most = 200
}

extension DiagnosticList {
  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("kind", .optional(kind?.name)),
      ("diagnostics", .array(diagnostics.map(\.json))), ("next", next.map { .integer($0) } ?? .null),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}

extension DiagnosticList: TableConvertible {
  public var table: CSVTable {
    let columns = [
      "id", "kind", "source", "day", "time", "received", "environment", "release", "build", "os", "device", "quantity",
      "unit", "exception.type", "exception.code", "exception.signal", "exception.name", "exception.termination",
      "exception.reason",
    ]
    return CSVTable(columns: columns, rows: diagnostics.map(\.json))
  }
}
