public import Core

/// A table of a response: its rows, and the fields of the rows that become columns.
public struct AnswerTable<Answer: Sendable>: Sendable {
  let columns: [String]
  let row: ObjectSchema
  private let rows: @Sendable (Answer) -> [JSONOutput]

  /// `only`: the columns; by default all fields of the rows in their order. `without`: columns to leave out, or objects
  /// whose columns are all left out.
  public init<Row: APIObject>(
    _ rows: @escaping @Sendable (Answer) -> [Row], only columns: [String] = Row.fields.schema.columns,
    without others: [String] = []
  ) {
    self.columns = columns.filter { column in !others.contains { column == $0 || column.hasPrefix($0 + ".") } }
    row = Row.fields.schema
    self.rows = { rows($0).map(\.output) }
  }

  /// The columns in `only` that are not members of the rows; empty if all are valid.
  package var unknownColumns: [String] { columns.filter { !row.columns.contains($0) } }

  func of(_ answer: Answer) -> CSVTable { CSVTable(columns: columns, rows: rows(answer)) }
}

/// One cause, with the metric that it explains.
private struct CauseRow: APIObject {
  let list: CauseList
  let cause: NamedCause

  static let fields = Fields<Self> {
    Field("metric", \.list.metric)
    Field("release", \.list.release)
    Field("base", \.list.base)
    Field("window", \.list.window)
    Field("cause", \.cause)
  }
}

/// One row of a breakdown, with its dimension.
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
  /// Returns the breakdowns of a response, one for each dimension.
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

  public static func causes(_ lists: @escaping @Sendable (Answer) -> [CauseList?]) -> AnswerTable {
    AnswerTable { answer in
      lists(answer).compactMap { $0 }.flatMap { list in list.causes.map { CauseRow(list: list, cause: $0) } }
    }
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
