public import Core
import GRDB
public import Storage

extension SQLiteControlStore {
  /// App Store Connect's figures of an app. Versions are in the order of the latest imported document.
  public func appStoreFigures(of app: AppID) throws -> [AppStoreFigure] {
    try database.read { db in
      let sql = """
        SELECT platform, category, metric, device, percentile, version, device_name, unit, value, error_margin, goal
        FROM app_store_figure WHERE app = ? ORDER BY platform, category, metric, device, percentile, imported, place
        """
      return try Row.fetchAll(db, sql: sql, arguments: [app]).map { row in
        AppStoreFigure(
          AppStoreFigure.Key(
            platform: try row.value(0), category: try row.value(1), metric: try row.value(2),
            device: try row.value(3), percentile: try row.value(4), version: try row.value(5)),
          deviceName: try row.value(6), unit: try row.value(7), value: try row.value(8),
          errorMargin: try row.value(9), goal: try row.value(10))
      }
    }
  }

  /// Stores figures, replaces those with the same keys, and deletes the oldest beyond the limit.
  public func keep(_ figures: [AppStoreFigure], of app: AppID, at now: Timestamp) throws {
    try change { db in
      let bundleID = try Self.require(app, in: db).bundleID
      try note(
        AuditEvent(
          "app.appstore", app: bundleID, subject: bundleID, detail: "\(figures.count) figures from App Store Connect"),
        in: db)
      let statement = try db.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO app_store_figure (app, platform, category, metric, device, percentile, version,
            device_name, unit, value, error_margin, goal, place, imported)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """)
      for (place, figure) in figures.enumerated() {
        let key = figure.key
        try statement.execute(arguments: [
          app, key.platform, key.category, key.metric, key.device, key.percentile, key.version, figure.deviceName,
          figure.unit, figure.value, figure.errorMargin, figure.goal, place, now.milliseconds,
        ])
      }
      try db.execute(
        sql: """
          DELETE FROM app_store_figure WHERE app = ? AND imported < (
            SELECT imported FROM app_store_figure WHERE app = ? ORDER BY imported DESC LIMIT 1 OFFSET ?)
          """, arguments: [app, app, AppStoreFigureLimits.most - 1])
    }
  }
}
