public import Core
import GRDB
public import Storage

extension SQLiteControlStore {
  /// App Store Connect's figures of an app. Versions are in the order of the latest imported document.
  public func appStoreFigures(of app: AppID) throws -> [AppStoreFigure] {
    try database.read { db in
      let sql = """
        SELECT platform, category, metric, device, percentile, version, device_name, unit, value, error_margin, goal,
          parts
        FROM app_store_figure WHERE app = ? ORDER BY platform, category, metric, device, percentile, imported, place
        """
      return try Row.fetchAll(db, sql: sql, arguments: [app]).map { row in
        var figure = AppStoreFigure(
          AppStoreFigure.Key(
            platform: try row.value(0), category: try row.value(1), metric: try row.value(2),
            device: try row.value(3), percentile: try row.value(4), version: try row.value(5)),
          deviceName: try row.value(6), unit: try row.value(7), value: try row.value(8),
          errorMargin: try row.value(9), goal: try row.value(10))
        let parts: String = try row.value(11)
        if !parts.isEmpty { figure.parts = try Self.decoded(parts, [AppStoreFigure.Part].self) }
        return figure
      }
    }
  }

  /// App Store Connect's goals, insights and signatures of an app, in the order of their documents.
  public func appStoreNotes(of app: AppID) throws -> AppStorePerformance {
    try database.read { db in
      var answer = AppStorePerformance()
      let sql = """
        SELECT kind, body, imported FROM app_store_note WHERE app = ? ORDER BY kind, imported DESC, place, key
        """
      for row in try Row.fetchAll(db, sql: sql, arguments: [app]) {
        let body: String = try row.value(1)
        switch try row.value(0) as String {
        case "goal":
          var goal = try Self.decoded(body, AppStoreGoal.self)
          goal.imported = try row.value(2)
          answer.goals.append(goal)
        case "insight": answer.insights.append(try Self.decoded(body, AppStoreInsight.self))
        default: answer.signatures.append(try Self.decoded(body, AppStoreSignature.self))
        }
      }
      return answer
    }
  }

  /// Stores an answer, replaces what has the same keys or is covered by it, and deletes the oldest beyond the limits.
  public func keep(_ answer: AppStorePerformance, of app: AppID, at now: Timestamp) throws {
    try change { db in
      let bundleID = try Self.require(app, in: db).bundleID
      let notes = answer.goals.count + answer.insights.count + answer.signatures.count
      try note(
        AuditEvent(
          "app.appstore", app: bundleID, subject: bundleID,
          detail: "\(answer.figures.count) figures" + (notes > 0 ? " and \(notes) notes" : "")
            + " from App Store Connect"),
        in: db)
      try Self.write(answer.figures, of: app, at: now, to: db)
      try Self.writeNotes(of: answer, app, at: now, to: db)
      for (table, most) in [
        ("app_store_figure", AppStoreFigureLimits.most), ("app_store_note", AppStoreFigureLimits.mostNotes),
      ] {
        try db.execute(
          sql: """
            DELETE FROM \(table) WHERE app = ? AND imported < (
              SELECT imported FROM \(table) WHERE app = ? ORDER BY imported DESC LIMIT 1 OFFSET ?)
            """, arguments: [app, app, most - 1])
      }
    }
  }

  private static func write(_ figures: [AppStoreFigure], of app: AppID, at now: Timestamp, to db: Database) throws {
    let statement = try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO app_store_figure (app, platform, category, metric, device, percentile, version,
          device_name, unit, value, error_margin, goal, parts, place, imported)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    for (place, figure) in figures.enumerated() {
      let key = figure.key
      try statement.execute(arguments: [
        app, key.platform, key.category, key.metric, key.device, key.percentile, key.version, figure.deviceName,
        figure.unit, figure.value, figure.errorMargin, figure.goal,
        figure.parts.isEmpty ? "" : try json(figure.parts), place, now.milliseconds,
      ])
    }
  }

  private static func writeNotes(
    of answer: AppStorePerformance, _ app: AppID, at now: Timestamp, to db: Database
  ) throws {
    func remove(_ kind: String, _ category: String) throws {
      let sql = "DELETE FROM app_store_note WHERE app = ? AND kind = ? AND category = ?"
      try db.execute(sql: sql, arguments: [app, kind, category])
    }
    func insert(_ kind: String, _ category: String, _ key: String, _ note: some Encodable, at place: Int) throws {
      try db.execute(
        sql: """
          INSERT OR REPLACE INTO app_store_note (app, kind, category, key, body, place, imported)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """, arguments: [app, kind, category, key, try json(note), place, now.milliseconds])
    }
    for category in answer.insightCategories { try remove("insight", category) }
    for kind in answer.signatureKinds { try remove("signature", kind.rawValue) }
    for (place, goal) in answer.goals.enumerated() { try insert("goal", goal.category, goal.key, goal, at: place) }
    for (place, insight) in answer.insights.enumerated() {
      try insert("insight", insight.category, insight.key, insight, at: place)
    }
    for (place, signature) in answer.signatures.enumerated() {
      try insert("signature", signature.kind.rawValue, signature.key, signature, at: place)
    }
  }
}
