public import Core
import Foundation
import GRDB
public import Storage

extension SQLiteControlStore {
  public func keep(_ run: LabRun, of app: AppID) throws -> Bool {
    try change { db in
      _ = try Self.require(app, in: db)
      try Self.deleteExpiredLabRuns(of: app, at: run.imported, in: db)
      let digest = Data(run.digest)
      let known = "SELECT 1 FROM lab_run WHERE app = ? AND digest = ?"
      guard try Row.fetchOne(db, sql: known, arguments: [app, digest]) == nil else { return false }
      try Self.checkRoom(for: run, of: app, in: db)
      try db.execute(
        sql: """
          INSERT INTO lab_run (app, digest, version, revision, branch, runner, imported, size)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          app, digest, run.release, run.commit, run.branch, run.runner, run.imported.milliseconds, Self.size(of: run),
        ])
      let id = db.lastInsertedRowID
      let statement = try db.cachedStatement(
        sql: """
          INSERT INTO lab_series (run, place, test, metric, title, device, unit, direction, counterpart, measurements)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """)
      for (place, series) in run.series.enumerated() {
        var values = ByteWriter()
        for value in series.values { values.double(value) }
        try statement.execute(arguments: [
          id, place, series.test, series.metric, series.title, series.device, series.unit, series.direction.rawValue,
          series.counterpart, values.withBytes { Data($0) },
        ])
      }
      return true
    }
  }

  public func labRuns(of app: AppID, named name: String) throws -> [LabRun] {
    try database.read { db in
      // The first digits of a commit are a range of texts, because "g" sorts behind all digits.
      let parts: [(condition: String, arguments: StatementArguments, isAsked: Bool)] = [
        ("r.branch = '' AND r.version = ?", [app, name, LabLimits.comparedRuns], true),
        (
          "r.revision >= ? AND r.revision < ?", [app, name, name + "g", LabLimits.comparedRuns],
          name.utf8.count >= LabLimits.commitDigits
        ), ("r.branch = ?", [app, name, LabLimits.comparedRuns], !name.isEmpty),
      ]
      for (condition, arguments, isAsked) in parts where isAsked {
        let newest = "SELECT r.id FROM lab_run r WHERE r.app = ? AND \(condition) ORDER BY r.id DESC LIMIT ?"
        let runs = try Self.labRuns(in: db, "r.id IN (\(newest)) ORDER BY r.id DESC, s.place", arguments)
        guard runs.isEmpty else { return runs }
      }
      return []
    }
  }

  public func labRuns(of app: AppID, foretelling metric: String) throws -> [LabRun] {
    try database.read { db in
      try Self.labRuns(
        in: db, "r.app = ? AND r.branch = '' AND s.counterpart = ? ORDER BY r.id DESC, s.place LIMIT ?",
        [app, metric, LabLimits.shownSeries])
    }
  }

  /// Reads rows that are ordered by run.
  private static func labRuns(
    in db: Database, _ condition: String, _ arguments: StatementArguments
  ) throws -> [LabRun] {
    let sql = """
      SELECT r.id, r.version, r.revision, r.branch, r.runner, r.imported, s.test, s.metric, s.title, s.device, s.unit,
        s.direction, s.counterpart, s.measurements
      FROM lab_run r JOIN lab_series s ON s.run = r.id WHERE \(condition)
      """
    var runs: [LabRun] = []
    var last: Int64?
    let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments)
    while let row = try rows.next() {
      let id: Int64 = try row.value(0)
      if id != last {
        runs.append(
          LabRun(
            release: try row.value(1), commit: try row.value(2), branch: try row.value(3), runner: try row.value(4),
            imported: Timestamp(milliseconds: try row.value(5)), series: []))
        last = id
      }
      runs[runs.count - 1].series.append(try labSeries(row))
    }
    return runs
  }

  private static func labSeries(_ row: Row) throws -> LabSeries {
    let measurements: Data = try row.value(13)
    let direction: String = try row.value(11)
    guard measurements.count.isMultiple(of: 8), let direction = Metric.Direction(rawValue: direction) else {
      throw StoreError.damaged("a series of a performance test cannot be read")
    }
    let values = try measurements.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return try (0..<measurements.count / 8).map { _ in try reader.double() }
    }
    return LabSeries(
      test: try row.value(6), metric: try row.value(7), title: try row.value(8), device: try row.value(9),
      unit: try row.value(10), direction: direction, counterpart: try row.value(12), values: values)
  }

  private static func deleteExpiredLabRuns(of app: AppID, at now: Timestamp, in db: Database) throws {
    for (days, condition) in [(LabLimits.days, "branch = ''"), (LabLimits.branchDays, "branch <> ''")] {
      let oldest = now.milliseconds.saturatingSubtract(Int64(days) * day)
      try db.execute(
        sql: "DELETE FROM lab_run WHERE app = ? AND imported < ? AND \(condition)", arguments: [app, oldest])
    }
  }

  private static func checkRoom(for run: LabRun, of app: AppID, in db: Database) throws {
    let sql = "SELECT count(*), total(size), count(*) FILTER (WHERE imported > ?) FROM lab_run WHERE app = ?"
    let since = run.imported.milliseconds.saturatingSubtract(day)
    guard let row = try Row.fetchOne(db, sql: sql, arguments: [since, app]) else { return }
    guard row.count(2) < LabLimits.runsPerDay else {
      throw ControlError.full(
        "\(LabLimits.runsPerDay) runs of this app were imported within 24 hours. Import fewer, or try again tomorrow.")
    }
    guard row.count(0) < LabLimits.runs, row.count(1) + size(of: run) <= LabLimits.bytes else {
      throw ControlError.full(
        "The runs of this app have reached the limit of \(LabLimits.runs) or of \(LabLimits.bytes >> 20) MiB. "
          + "Runs of a branch expire after \(LabLimits.branchDays) days, others after \(LabLimits.days).")
    }
  }

  private static let day: Int64 = 86_400_000

  /// The bytes that a run takes, without SQLite's own.
  private static func size(of run: LabRun) -> Int {
    let names = [run.release, run.commit, run.branch, run.runner]
    return run.series.reduce(names.reduce(100) { $0 + $1.utf8.count }) { size, series in
      let texts = [series.test, series.metric, series.title, series.device, series.unit, series.counterpart ?? ""]
      return texts.reduce(size + 8 * series.values.count + 40) { $0 + $1.utf8.count }
    }
  }
}
