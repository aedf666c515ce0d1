public import Core
import Foundation
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

extension SQLiteControlStore {
  /// Replaces an app's icon; nil removes it. Throws `ControlError.invalid` unless it is an `AppIcon`.
  public func changeIcon(of app: AppID, to png: [UInt8]?) throws {
    if let fault = png.flatMap(AppIcon.fault) { throw ControlError.invalid(fault) }
    let tag = png.map(Self.tag)
    try change { db in
      let bundleID = try Self.require(app, in: db).bundleID
      try note(
        AuditEvent(
          "app.settings", app: bundleID, subject: bundleID, detail: png == nil ? "icon: none" : "icon changed"),
        in: db)
      try db.execute(sql: "UPDATE app SET icon_tag = ? WHERE id = ?", arguments: [tag ?? "", app])
      try db.execute(sql: "DELETE FROM app_icon WHERE app = ?", arguments: [app])
      if let png { try db.execute(sql: "INSERT INTO app_icon (app, png) VALUES (?, ?)", arguments: [app, Data(png)]) }
    }
  }

  private static func tag(of png: [UInt8]) -> String {
    var hash = StableHash()
    for start in stride(from: 0, to: png.count, by: 8) {
      hash.add(png[start..<min(start + 8, png.count)].reduce(UInt64(png.count)) { $0 << 8 | UInt64($1) })
    }
    return String(hash.value, radix: 16)
  }

  /// The bytes of an app's icon, a PNG; nil without one.
  public func icon(of app: AppID) throws -> [UInt8]? {
    try database.read { db in
      try Row.fetchOne(db, sql: "SELECT png FROM app_icon WHERE app = ?", arguments: [app])
        .map { [UInt8](try $0.value("png", as: Data.self)) }
    }
  }
}
