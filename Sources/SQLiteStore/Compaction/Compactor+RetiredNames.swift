import GRDB
import Storage
import Telemetry

extension Compactor {
  /// Moves what names that gave way left behind to "(other)".
  func moveRetired() throws {
    for kind in [NameKind.release, .system, .device, .environment] {
      for name in try retired(kind) { try move(kind, name) }
    }
    try moveCells()
    try moveLives()
    try moveSeries()
  }

  /// Rows of combinations, so that what gave way is forgotten soon, and not when they are past their retention.
  private func moveCells() throws {
    let gone = [NameKind.release, .system, .device, .environment].map { kind in
      "\(kind.rawValue) IN (SELECT id FROM \(kind.rawValue) WHERE retired > 0)"
    }.joined(separator: " OR ")
    let cells = try store.pool.read { database in
      try Int64.fetchAll(
        database,
        sql: """
          SELECT id FROM slice WHERE kind = ? AND (\(gone)) AND EXISTS (SELECT 1 FROM cell WHERE cell.slice = slice.id)
          """, arguments: [SliceKey.Kind.cell.rawValue])
    }
    for cell in cells {
      try repeatPortions { database, interner in
        let key = try interner.sliceKey(of: cell, in: database)
        let (found, home) = try interner.cell(key, in: database)
        // Where there is no room for the combination, they stay where they are.
        return found == key ? try SliceFold(database).moveCell(cell, to: home, atMost: Self.portion) : 0
      }
    }
  }

  private typealias Name = (id: Int64, app: AppID)

  private func retired(_ kind: NameKind) throws -> [Name] {
    try store.pool.read {
      try Row.fetchAll($0, sql: "SELECT id, app FROM \(kind.rawValue) WHERE retired > 0")
        .map { (try $0.value(0), try $0.value(1)) }
    }
  }

  private func move(_ kind: NameKind, _ name: Name) throws {
    let slices = try store.pool.read { try Succession($0).slices(of: name.id, kind, app: name.app) }
    for slice in slices {
      try repeatPortions { database, interner in
        guard let home = try home(of: slice, database, &interner) else { return 0 }
        return try SliceFold(database).movePart(slice, to: home, atMost: Self.portion)
      }
      try portion { database, interner in
        guard let home = try home(of: slice, database, &interner) else { return }
        let key = try interner.storedKey(of: slice, in: database)
        try SliceFold(database).move(slice, to: home)
        interner.slices[key] = nil
        interner.keys[slice] = nil
        interner.cellSlices = [:]
      }
    }
  }

  /// Where the rows of a slice belong today; nil when it is gone.
  private func home(of slice: Int64, _ database: Database, _ interner: inout Interner) throws -> Int64? {
    let isThere = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT 1 FROM slice WHERE id = ?"), arguments: [slice])
    guard isThere != nil else { return nil }
    return try interner.slice(interner.sliceKey(of: slice, in: database), in: database)
  }

  /// In which builds signatures were seen.
  private func moveLives() throws {
    try repeatPortions { database, interner in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT life.signature, life.environment, life.release, life.first_day, life.last_day, life.count, release.app
          FROM signature_life AS life JOIN release ON release.id = life.release
          JOIN environment ON environment.id = life.environment
          WHERE release.retired > 0 OR environment.retired > 0 LIMIT ?
          """, arguments: [Self.portion])
      let delete = try database.cachedStatement(
        sql: "DELETE FROM signature_life WHERE signature = ? AND environment = ? AND release = ?")
      for row in rows {
        try delete.execute(arguments: StatementArguments((0..<3).map { row[$0] as DatabaseValue }))
        let stored = SliceKey(
          app: try row.value(6), environment: try row.value(1), kind: .release, release: try row.value(2))
        let key = try interner.current(stored, in: database)
        try database.cachedStatement(sql: SignatureLedger.addLife).execute(arguments: [
          row[0] as DatabaseValue, key.environment, key.release, row[3] as DatabaseValue, row[4] as DatabaseValue,
          row.count(5),
        ])
      }
      return rows.count
    }
  }

  // MARK: Metrics and labels

  /// Rows of metrics and labels whose names gave way, in marginals; cells are kept for a few weeks only.
  private func moveSeries() throws {
    let metrics = try retired(.metric)
    let labels = try retired(.label)
    guard !metrics.isEmpty || !labels.isEmpty else { return }
    for app in Set((metrics + labels).map(\.app)) {
      let gone = Set(metrics.filter { $0.app == app }.map(\.id))
      let goneLabels = Set(labels.filter { $0.app == app }.map(\.id))
      let slices = try store.pool.read {
        try Int64.fetchAll(
          $0, sql: "SELECT id FROM slice WHERE app = ? AND kind <> ?",
          arguments: [app, SliceKey.Kind.cell.rawValue])
      }
      for slice in slices { try moveSeries(of: slice, metrics: gone, labels: goneLabels) }
    }
  }

  private func moveSeries(of slice: Int64, metrics: Set<Int64>, labels: Set<Int64>) throws {
    for table in ["marginal", DailySums.table] {
      // A look first, beside the digest: most slices have nothing of it.
      let series = try store.pool.read { try Self.series(of: slice, in: table, $0) }
        .filter { metrics.contains($0.metric) || labels.contains($0.label) }
      for (metric, label) in series {
        try portion { database, interner in
          try moveSeries(metric, label, of: slice, in: table, isMetric: metrics.contains(metric), database, &interner)
        }
      }
    }
  }

  /// Metrics of a slice, and labels where there are any.
  private static func series(
    of slice: Int64, in table: String, _ database: Database
  ) throws -> [(metric: Int64, label: Int64)] {
    let next = try database.cachedStatement(sql: "SELECT min(metric) FROM \(table) WHERE slice = ? AND metric > ?")
    let labels = try database.cachedStatement(
      sql: "SELECT DISTINCT label FROM \(table) WHERE slice = ? AND metric = ?")
    var found: [(metric: Int64, label: Int64)] = []
    var last: Int64 = 0
    while let metric = try Int64.fetchOne(next, arguments: [slice, last]) {
      found += try Int64.fetchAll(labels, arguments: [slice, metric]).map { (metric, $0) }
      last = metric
    }
    return found
  }

  private func moveSeries(
    _ metric: Int64, _ label: Int64, of slice: Int64, in table: String, isMetric: Bool, _ database: Database,
    _ interner: inout Interner
  ) throws {
    let app = try interner.storedKey(of: slice, in: database).app
    var home = metric
    if isMetric {
      let variant = try Row.fetchOne(database, sql: "SELECT unit, kind FROM metric WHERE id = ?", arguments: [metric])
      guard let variant else { return }
      let number = try variant.value(0, as: Int.self) << 1 | variant.value(1, as: Int.self)
      home = try interner.otherID(
        NameKey(scope: NameScope(kind: .metric, app: app), text: "", variant: number), in: database)
    }
    let labelHome =
      label == 0
      ? 0
      : try interner.otherID(NameKey(scope: NameScope(kind: .label, app: app, metric: home), text: ""), in: database)
    let rows = try Row.fetchAll(
      database,
      sql:
        "SELECT start, resolution, source, received, body FROM \(table) WHERE slice = ? AND metric = ? AND label = ?",
      arguments: [slice, metric, label])
    try database.execute(
      sql: "DELETE FROM \(table) WHERE slice = ? AND metric = ? AND label = ?", arguments: [slice, metric, label])
    var batch = RowMerge(table: table)
    for row in rows {
      guard let resolution = TimeBin.Resolution(rawValue: try row.value(1)),
        let aggregate = try? RowBatch.aggregate(in: row, at: 4)
      else { continue }
      let key = RowKey(
        slice: slice, metric: home, bin: TimeBin(start: try row.minute(0), resolution: resolution), label: labelHome,
        source: try row.value(2))
      batch.add(aggregate, to: key, received: try row.value(3))
    }
    try batch.write(to: database)
  }

  // MARK: What nobody uses

  /// Forgets slices without rows, and names that nothing refers to.
  func forgetUnused() throws {
    try forgetLives()
    try forgetSlices(
      """
      SELECT id FROM slice WHERE kind <> 6 AND NOT EXISTS (SELECT 1 FROM marginal WHERE marginal.slice = slice.id)
      AND NOT EXISTS (SELECT 1 FROM daily WHERE daily.slice = slice.id)
      """, isCell: false)
    try forgetSlices(
      "SELECT id FROM slice WHERE kind = 6 AND NOT EXISTS (SELECT 1 FROM cell WHERE cell.slice = slice.id)",
      isCell: true)
    for kind in [NameKind.release, .system, .device, .environment] { try forgetNames(kind) }
    try forgetSeriesNames()
    try forgetGroups()
  }

  /// Builds that were unseen for longer than rows are kept. The first one of an environment stays: it tells from when on
  /// there was something to keep.
  private func forgetLives() throws {
    let oldest = today - Self.marginalDays
    try repeatPortions { database, _ in
      try database.execute(
        sql: """
          DELETE FROM release_life WHERE (environment, release) IN (
            SELECT life.environment, life.release FROM release_life AS life WHERE life.last_day < ? AND EXISTS (
              SELECT 1 FROM release_life AS older WHERE older.environment = life.environment
              AND (older.first_day, older.release) < (life.first_day, life.release))
            LIMIT ?)
          """, arguments: [oldest, Self.portion])
      return database.changesCount
    }
    try repeatPortions { database, _ in
      try database.execute(
        sql: """
          DELETE FROM signature_life WHERE (signature, environment, release) IN (
            SELECT signature, environment, release FROM signature_life WHERE last_day < ? LIMIT ?)
          """, arguments: [oldest, Self.portion])
      return database.changesCount
    }
    try repeatPortions { database, _ in
      try database.execute(
        sql: """
          DELETE FROM image WHERE (app, release, uuid, name) IN (
            SELECT app, release, uuid, name FROM image
            WHERE release NOT IN (SELECT release FROM release_life)
            AND release NOT IN (SELECT id FROM release WHERE used_day >= ?) LIMIT ?)
          """, arguments: [oldest, Self.portion])
      return database.changesCount
    }
  }

  private func forgetSlices(_ sql: String, isCell: Bool) throws {
    var unused = try store.pool.read { try Set(Int64.fetchAll($0, sql: sql)) }
    if isCell {
      // Looking for references reads whole tables: worth it only for many.
      guard unused.count >= max(1, store.limits.cells / 50) else { return }
      try store.pool.read { database in
        for table in ["diagnostic", "session"] {
          let used = try Int64.fetchCursor(database, sql: "SELECT cell FROM \(table)")
          while let cell = try used.next() { unused.remove(cell) }
        }
      }
    }
    let ids = unused.sorted()
    for start in stride(from: 0, to: ids.count, by: Self.portion) {
      try portion { database, interner in
        let delete = try database.cachedStatement(
          sql: isCell
            ? "DELETE FROM slice WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM cell WHERE slice = ?1)"
            : "DELETE FROM slice WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM marginal WHERE slice = ?1)")
        for id in ids[start..<min(start + Self.portion, ids.count)] { try delete.execute(arguments: [id]) }
        interner.forgetIDs()
      }
    }
  }

  private func forgetNames(_ kind: NameKind) throws {
    var used = ["SELECT \(kind.rawValue) FROM slice"]
    if kind == .release || kind == .environment {
      used += ["arrival", "signature_life", "release_life"].map { "SELECT \(kind.rawValue) FROM \($0)" }
    }
    if kind == .release { used.append("SELECT release FROM image") }
    let unused = try store.pool.read { database in
      try Int64.fetchAll(
        database,
        sql: """
          SELECT id FROM \(kind.rawValue) WHERE (retired > 0 OR used_day < ?)
          AND id NOT IN (\(used.joined(separator: " UNION ")))
          """, arguments: [today - Self.marginalDays])
    }
    try forget(unused, kind)
  }

  /// Their rows are past their retention when nobody used them for so long.
  private func forgetSeriesNames() throws {
    for kind in [NameKind.metric, .label, .client] {
      let orphans =
        kind == .label
        ? "OR metric >= \(StoredMetric.firstCustom) AND metric NOT IN (SELECT id FROM metric)" : ""
      let unused = try store.pool.read { database in
        try Int64.fetchAll(
          database,
          sql: """
            SELECT id FROM \(kind.rawValue)
            WHERE used_day < :day AND retired = 0 AND name <> '\(Interner.other)' OR retired > 0 AND retired < :gone
            \(orphans)
            """, arguments: ["day": today - Self.marginalDays - 1, "gone": today - Self.cellDays - 1])
      }
      try forget(unused, kind)
    }
  }

  private func forget(_ names: [Int64], _ kind: NameKind) throws {
    for start in stride(from: 0, to: names.count, by: Self.portion) {
      try portion { database, interner in
        let delete = try database.cachedStatement(sql: "DELETE FROM \(kind.rawValue) WHERE id = ?")
        for id in names[start..<min(start + Self.portion, names.count)] { try delete.execute(arguments: [id]) }
        interner.forgetIDs()
      }
    }
  }

  /// Groups without signatures that lead nowhere.
  private func forgetGroups() throws {
    let empty = try store.pool.read { database in
      try Int64.fetchAll(
        database,
        sql: """
          SELECT id FROM diagnostic_group WHERE successor IS NULL
          AND NOT EXISTS (SELECT 1 FROM signature WHERE member = diagnostic_group.id)
          """)
    }
    for start in stride(from: 0, to: empty.count, by: Self.portion) {
      try portion { database, _ in
        for group in empty[start..<min(start + Self.portion, empty.count)] {
          try GroupTable(database).discard(group)
        }
      }
    }
  }
}
