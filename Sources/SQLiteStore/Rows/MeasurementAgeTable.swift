public import Core
import Foundation
import GRDB
public import Storage

/// The changes of the table `measurement_age` by a batch: distributions and rates by release, device class, day and age
/// of the update.
struct MeasurementAgeTable {
  private var changes: [Key: Aggregate] = [:]

  private struct Key: Hashable, Comparable {
    let app: AppID
    let environment: Int64
    let release: Int64
    let day: Int
    let deviceClass: String
    let age: UpdateAge
    let source: UInt8
    let metric: Int64

    static func < (left: Key, right: Key) -> Bool {
      if (left.environment, left.release, left.day) != (right.environment, right.release, right.day) {
        return (left.environment, left.release, left.day) < (right.environment, right.release, right.day)
      }
      return (left.deviceClass, left.age, left.source, left.metric)
        < (right.deviceClass, right.age, right.source, right.metric)
    }
  }

  /// Adds a cell's measurements. `metric` returns the id of a metric; nil for one without rows of its own.
  mutating func add(_ cell: AgedCellDelta, _ slice: SliceKey, metric: (MetricReference) throws -> Int64?) throws {
    for series in cell.series {
      guard let id = try metric(series.metric) else { continue }
      let key = Key(
        app: cell.key.app, environment: slice.environment, release: slice.release, day: cell.day.number,
        deviceClass: slice.deviceClass,
        age: cell.age, source: cell.key.source.rawValue, metric: id)
      if changes[key]?.merge(series.aggregate) == nil { changes[key] = series.aggregate }
    }
  }

  /// Writes the changes. Returns the number of damaged rows of each app that were replaced by them.
  func write(to database: Database) throws -> [AppID: Int] {
    guard !changes.isEmpty else { return [:] }
    let find = try database.cachedStatement(
      sql: """
        SELECT body FROM measurement_age WHERE environment = ? AND release = ? AND day = ? AND class = ? AND age = ?
        AND source = ? AND metric = ?
        """)
    let put = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO measurement_age VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    var damaged: [AppID: Int] = [:]
    for (key, change) in changes.sorted(by: { $0.key < $1.key }) {
      let place: [any DatabaseValueConvertible] = [
        key.environment, key.release, key.day, key.deviceClass, key.age.rawValue, key.source, key.metric,
      ]
      var writer = ByteWriter(reserving: 256)
      let stored = try Data.fetchOne(find, arguments: StatementArguments(place))
      do {
        if let stored { try stored.withUnsafeBytes { try change.encode(mergedWith: $0, into: &writer) } }
      } catch is DamagedBytes {
        damaged[key.app, default: 0] += 1
      }
      if writer.count == 0 { change.encode(into: &writer) }
      try put.execute(arguments: StatementArguments(place + [Data(writer.bytes)]))
    }
    return damaged
  }

  /// Deletes the measurements of metrics of an app.
  static func erase(_ metrics: some Sequence<Int64>, of app: AppID, in database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM measurement_age WHERE environment IN (SELECT id FROM environment WHERE app = ?)
        AND metric IN (\(metrics.map { "\($0)" }.joined(separator: ",")))
        """, arguments: [app])
  }
}

extension SQLiteStore {
  public func measurementsByAge(
    of app: AppID, environment: String, releases: Set<Release>, metrics: [String], in window: Window
  ) throws -> [MeasurementsByAge] {
    try read { database in
      // Most apps have none.
      let place = try Int64.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT id FROM environment WHERE app = ? AND name = ?
            AND EXISTS (SELECT 1 FROM measurement_age WHERE environment = environment.id)
            """), arguments: [app, environment])
      guard let place else { return [] }
      let known = try StoredMetrics(database, app: app)
      let ids = known.ids(of: metrics)
      let builds = try Self.builds(releases, of: app, in: database)
      guard !ids.isEmpty, !builds.isEmpty else { return [] }
      func list(_ ids: some Sequence<Int64>) -> String { ids.map { "\($0)" }.joined(separator: ",") }
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT release, class, source, day, age, metric, body FROM measurement_age
          WHERE environment = ? AND release IN (\(list(builds.keys.sorted()))) AND day BETWEEN ? AND ?
            AND metric IN (\(list(ids)))
          ORDER BY release, day, class, age, source, metric
          """, arguments: [place, window.from.number, window.to.number])
      var found: [MeasurementsByAge] = []
      while let row = try rows.next() {
        guard let release = builds[try row.value(0)], let source = Source(rawValue: try row.value(2)),
          let age = UpdateAge(rawValue: try row.value(4)), let metric = known.reference(of: try row.value(5))
        else { throw StoreError.damaged("invalid value in the table measurement_age") }
        let body: Data = try row.value(6)
        let aggregate = try body.withUnsafeBytes { bytes in
          var reader = ByteReader(bytes)
          do { return try Aggregate(from: &reader) } catch {
            throw StoreError.damaged("a measurement in the table measurement_age")
          }
        }
        found.append(
          MeasurementsByAge(
            metric: metric.name, release: release, deviceClass: try row.value(1), source: source,
            day: try row.day(3), age: age, aggregate: aggregate))
      }
      return found
    }
  }
}
