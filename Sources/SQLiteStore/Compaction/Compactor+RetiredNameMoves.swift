import Core
import GRDB
import Storage

extension Compactor {
  /// Moves rows with a retired name to the rows of "(other)".
  func moveRetired() throws {
    for kind in NameKind.ofSlices {
      for name in try retired(kind) { try move(kind, name) }
    }
    try moveCells()
    try moveLifetimes()
    try moveSeries()
  }

  /// Moves cell rows, so that retired names can be deleted before the rows expire.
  private func moveCells() throws {
    let names = NameKind.ofSlices.map { kind in
      "\(kind.rawValue) IN (SELECT id FROM \(kind.rawValue) WHERE retired > 0)"
    }
    let sets = """
      attribute IN (SELECT attribute_set FROM attribute_member
        WHERE attribute IN (SELECT id FROM attribute WHERE retired > 0))
      """
    let gone = (names + [sets]).joined(separator: " OR ")
    let cells = try store.pool.read { database in
      try Int64.fetchAll(
        database,
        sql: """
          SELECT id FROM slice WHERE kind = ? AND (\(gone))
          AND \(RowTables.hasCellRows)
          """, arguments: [SliceKind.cell.number])
    }
    for cell in cells {
      try repeatPortions(keepingIDs: true) { database, registry in
        // The cell may have been deleted in the meantime.
        guard try Self.exists(cell, database) else { return 0 }
        let key = try registry.sliceKey(of: cell, in: database)
        let (found, home) = try registry.cell(key, in: database)
        // If there is no space for the combination, the rows stay.
        return found == key ? try RowTables(database).moveCell(cell, to: home, atMost: Self.portion) : 0
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
    let slices = try store.pool.read { try RetiredNameMove($0).slices(of: name.id, kind, app: name.app) }
    for slice in slices {
      try repeatPortions(keepingIDs: true) { database, registry in
        guard let home = try home(of: slice, database, &registry) else { return 0 }
        return try RowTables(database).moveRollup(slice, to: home, atMost: Self.portion)
      }
      try portion { database, registry in
        guard let home = try home(of: slice, database, &registry) else { return }
        try RowTables(database).moveRollup(slice, to: home)
      }
    }
  }

  /// The slice to which the rows of a slice now belong; nil if the slice was deleted.
  private func home(of slice: Int64, _ database: Database, _ registry: inout NameRegistry) throws -> Int64? {
    guard try Self.exists(slice, database) else { return nil }
    return try registry.slice(registry.sliceKey(of: slice, in: database), in: database)
  }

  private static func exists(_ slice: Int64, _ database: Database) throws -> Bool {
    try Int.fetchOne(database.cachedStatement(sql: "SELECT 1 FROM slice WHERE id = ?"), arguments: [slice]) != nil
  }

  /// Moves the first and last days of signatures by release.
  private func moveLifetimes() throws {
    try repeatPortions(keepingIDs: true) { database, registry in
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
        let key = try registry.current(stored, in: database)
        try database.cachedStatement(sql: SignatureWriter.addLifetime).execute(arguments: [
          row[0] as DatabaseValue, key.environment, key.release, row[3] as DatabaseValue, row[4] as DatabaseValue,
          row.count(5),
        ])
      }
      return rows.count
    }
  }

  // MARK: Metrics and labels

  /// Moves rollup rows of retired metrics and labels. Cell rows are not moved, because they are kept for only a few
  /// weeks.
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
          arguments: [app, SliceKind.cell.number])
      }
      for slice in slices { try moveSeries(of: slice, metrics: gone, labels: goneLabels) }
    }
  }

  private func moveSeries(of slice: Int64, metrics: Set<Int64>, labels: Set<Int64>) throws {
    for table in [RowTables.Table.rollups, .daySums] {
      // Read first, which does not block the digest: most slices have no such rows.
      let series = try store.pool.read { try RowTables($0).series(of: slice, in: table) }
        .filter { metrics.contains($0.metric) || labels.contains($0.label) }
      for one in series {
        try portion(keepingIDs: true) { database, registry in
          try moveSeries(one, of: slice, in: table, isMetric: metrics.contains(one.metric), database, &registry)
        }
      }
    }
  }

  private func moveSeries(
    _ series: SeriesKey, of slice: Int64, in table: RowTables.Table, isMetric: Bool, _ database: Database,
    _ registry: inout NameRegistry
  ) throws {
    guard try Self.exists(slice, database) else { return }
    let app = try registry.storedKey(of: slice, in: database).app
    var home = series
    if isMetric {
      let variant = try Row.fetchOne(
        database, sql: "SELECT unit, kind FROM metric WHERE id = ?", arguments: [series.metric])
      guard let variant else { return }
      let number = try variant.value(0, as: Int.self) << 1 | variant.value(1, as: Int.self)
      home.metric = try registry.otherID(
        NameKey(scope: NameScope(kind: .metric, app: app), text: "", variant: number), in: database)
    }
    if series.label != 0 {
      home.label = try registry.otherID(
        NameKey(scope: NameScope(kind: .label, app: app, metric: home.metric), text: ""), in: database)
    }
    let taken = try RowTables(database).move(series, of: slice, to: home, in: table)
    try noteDamage(taken.damaged, in: table.rawValue, database, &registry)
  }
}
