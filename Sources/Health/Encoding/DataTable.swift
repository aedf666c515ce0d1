import JSON

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
