import JSON

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

extension DataQuality: TableConvertible {
  /// The clients.
  public var table: CSVTable {
    CSVTable(
      columns: ["client", "release", "accepted", "rejected", "refused", "duplicates", "late"],
      rows: clients.map(\.json))
  }
}
