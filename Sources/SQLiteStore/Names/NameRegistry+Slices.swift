import Core
import GRDB
import Storage

/// The slices that count a cell's data: first the cell, then its rollups.
struct CellSlices {
  /// The slices whose rows are written for the cell.
  let rows: [Int64]
  /// The slices in which the cell's sessions were first counted. A slice that was deleted because a name in it was
  /// retired has a negative id here. Several deleted slices share a row, but sessions of one user that were added
  /// separately must be subtracted separately.
  let clusters: [Int64]
}

extension NameRegistry {
  /// The ids of a cell's names, which are inserted if they are new. `uses` is the number of payloads.
  mutating func sliceKey(of cell: CellKey, uses: Double = 0, in database: Database) throws -> SliceKey {
    func key(_ kind: NameKind, _ text: String, _ build: String = "") -> NameKey {
      NameKey(scope: NameScope(kind: kind, app: cell.app), text: text, build: build)
    }
    return SliceKey(
      app: cell.app, environment: try id(of: key(.environment, cell.environment), uses: uses, in: database),
      kind: .cell,
      release: try id(of: key(.release, cell.release.version, cell.release.build), uses: uses, in: database),
      system: try id(of: key(.system, cell.os), uses: uses, in: database),
      device: try id(of: key(.device, cell.model), uses: uses, in: database),
      deviceClass: DeviceClass.of(model: cell.model).name,
      attribute: try attribute(of: cell, uses: uses, in: database))
  }

  /// The slice of a cell, and its key. If an app has too many cells, OS version and device of a new one become
  /// "(other)". If it has twice as many, the values of its attributes also become "(other)".
  mutating func cell(_ key: SliceKey, in database: Database) throws -> (key: SliceKey, id: Int64) {
    if let known = slices[key] { return (key, known) }
    if let found = try find(key, in: database) {
      slices[key] = found
      keys[found] = key
      return (key, found)
    }
    let count = try cellCounts[key.app] ?? Self.cells(of: key.app, in: database)
    cellCounts[key.app] = count
    guard count < limits.cells else {
      var rest = key
      rest.system = try otherID(NameKey(scope: NameScope(kind: .system, app: key.app), text: ""), in: database)
      rest.device = try otherID(NameKey(scope: NameScope(kind: .device, app: key.app), text: ""), in: database)
      if count >= 2 * limits.cells { rest.attribute = try otherAttribute(key, in: database) }
      if let known = try slices[rest] ?? find(rest, in: database) { return (rest, known) }
      if rest.attribute != 0 { cellCounts[key.app] = count + 1 }
      return (rest, try insert(rest, in: database))
    }
    cellCounts[key.app] = count + 1
    return (key, try insert(key, in: database))
  }

  private static func cells(of app: AppID, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM slice WHERE app = ? AND kind = ?",
      arguments: [app, SliceKind.cell.number]) ?? 0
  }

  mutating func slice(_ key: SliceKey, in database: Database) throws -> Int64 {
    if let known = slices[key] { return known }
    guard let found = try find(key, in: database) else { return try insert(key, in: database) }
    slices[key] = found
    return found
  }

  private func find(_ key: SliceKey, in database: Database) throws -> Int64? {
    try Int64.fetchOne(
      try database.cachedStatement(
        sql: """
          SELECT id FROM slice WHERE app = ? AND environment = ? AND kind = ? AND release = ? AND os = ?
          AND device = ? AND class = ? AND attribute = ?
          """), arguments: Self.arguments(key))
  }

  private mutating func insert(_ key: SliceKey, in database: Database) throws -> Int64 {
    try database.cachedStatement(
      sql: """
        INSERT INTO slice (app, environment, kind, release, os, device, class, attribute) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: Self.arguments(key))
    let id = database.lastInsertedRowID
    slices[key] = id
    keys[id] = key
    return id
  }

  private static func arguments(_ key: SliceKey) -> StatementArguments {
    [
      key.app, key.environment, key.kind.number, key.release, key.system, key.device, key.deviceClass, key.attribute,
    ]
  }

  /// The key of a slice as stored. Names in it may have been retired in the meantime.
  mutating func storedKey(of id: Int64, in database: Database) throws -> SliceKey {
    if let known = keys[id] { return known }
    let statement = try database.cachedStatement(
      sql: "SELECT app, environment, kind, release, os, device, class, attribute FROM slice WHERE id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id]), let kind = SliceKind(number: try row.value(2))
    else { throw StoreError.damaged("the slice \(id) does not exist") }
    let key = SliceKey(
      app: try row.value(0), environment: try row.value(1), kind: kind, release: try row.value(3),
      system: try row.value(4), device: try row.value(5), deviceClass: try row.value(6), attribute: try row.value(7))
    keys[id] = key
    return key
  }

  /// The current key of a stored slice, with "(other)" for retired names.
  mutating func sliceKey(of id: Int64, in database: Database) throws -> SliceKey {
    try current(storedKey(of: id, in: database), in: database)
  }

  /// The slice key with "(other)" in place of retired names.
  mutating func current(_ stored: SliceKey, in database: Database) throws -> SliceKey {
    var key = stored
    key.environment = try current(stored.environment, .environment, stored.app, in: database)
    key.release = try current(stored.release, .release, stored.app, in: database)
    key.system = try current(stored.system, .system, stored.app, in: database)
    key.device = try current(stored.device, .device, stored.app, in: database)
    key.attribute = try currentAttribute(stored, in: database)
    return key
  }

  mutating func isRetired(_ id: Int64, _ kind: NameKind, in database: Database) throws -> Bool {
    if id == 0 { return false }
    let name = NameID(kind: kind, id: id)
    let isRetired = try retired[name] ?? NameTable(kind, database).isRetired(id)
    retired[name] = isRetired
    return isRetired
  }

  private mutating func current(_ id: Int64, _ kind: NameKind, _ app: AppID, in database: Database) throws -> Int64 {
    try isRetired(id, kind, in: database)
      ? try otherID(NameKey(scope: NameScope(kind: kind, app: app), text: ""), in: database) : id
  }

  /// The slices that currently count a stored cell's data.
  mutating func cellSlices(of cell: Int64, in database: Database) throws -> CellSlices {
    if let known = cellSlices[cell] { return known }
    let stored = try storedKey(of: cell, in: database)
    let now = try current(stored, in: database)
    var rows = [cell]
    var clusters = [cell]
    let values = try attributeValues(of: stored.attribute, in: database)
    let currentValues = try values.map { try currentValue($0, stored.app, in: database) }
    for (before, after) in zip(stored.rollups(of: values), now.rollups(of: currentValues)) {
      if before == after {
        rows.append(try slice(before, in: database))
        clusters.append(rows[rows.count - 1])
      } else if let unmoved = try slices[before] ?? find(before, in: database) {
        // Its rows were not yet moved; queries read them as "(other)".
        rows.append(unmoved)
        clusters.append(unmoved)
      } else {
        rows.append(try slice(after, in: database))
        clusters.append(cluster(of: before, row: rows[rows.count - 1]))
      }
    }
    // One array for both, unless names were retired.
    let found = CellSlices(rows: rows, clusters: clusters == rows ? rows : clusters)
    cellSlices[cell] = found
    return found
  }

  /// The negative number of a deleted slice. It is the same for all cells that were part of it.
  private mutating func cluster(of gone: SliceKey, row: Int64) -> Int64 {
    let number = goneSlices[gone] ?? -Int64(goneSlices.count + 1)
    goneSlices[gone] = number
    clusterRows[number] = row
    return number
  }
}
