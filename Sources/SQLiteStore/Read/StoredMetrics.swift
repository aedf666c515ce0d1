import Core
import GRDB
import Storage

/// The metrics that are stored for one app, by id and by name.
struct StoredMetrics {
  private var custom: [Int64: MetricReference] = [:]

  init(_ database: Database, app: AppID) throws {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT id, name, unit, kind FROM metric WHERE app = ?"), arguments: [app])
    for row in rows {
      let kind: Metric.Kind = try row.value(3, as: Int.self) == 0 ? .distribution : .counter
      custom[try row.value(0)] = .custom(
        name: try row.value(1), unit: MetricUnit(rawValue: try row.value(2)) ?? .count, kind: kind)
    }
  }

  func reference(of id: Int64) -> MetricReference? {
    if id < StoredMetric.firstCustom {
      return UInt16(exactly: id).flatMap(Catalogue.metric(number:)).map { .known($0.number) }
    }
    return custom[id]
  }

  /// The ids of metrics with these names. A custom name may have several ids, one per unit and kind.
  func ids(of names: [String]) -> [Int64] {
    names.flatMap { name in
      if let metric = Catalogue.metric(named: name) { return [Int64(metric.number)] }
      return custom.filter { $0.value.name == name }.map(\.key).sorted()
    }
  }
}

/// The ids of metrics in rows: a catalogue number, or a higher number for a custom metric.
enum StoredMetric {
  static let firstCustom: Int64 = 100_000
}
