import Core
import GRDB
import Storage

/// The move of a retired name's data to "(other)", except rows, which are moved separately. Sums stay the same.
struct RetiredNameMove {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Moves the first and last days and the binaries of a name.
  func move(_ name: Int64, _ kind: NameKind, to other: Int64) throws {
    switch kind {
    case .release:
      try moveLifetimes(of: name, to: other)
      try moveImages(of: name, to: other)
    case .environment: try moveEnvironment(name, to: other)
    case .system, .device, .attribute, .metric, .label, .client: break
    }
  }

  private static let mergedLifetime = """
    ON CONFLICT DO UPDATE SET
    first_day = min(first_day, excluded.first_day), last_day = max(last_day, excluded.last_day)
    """

  private func moveLifetimes(of release: Int64, to other: Int64) throws {
    let environments = """
      environment IN (SELECT id FROM environment WHERE app = (SELECT app FROM release WHERE id = :release))
      """
    try database.cachedStatement(
      sql: """
        INSERT INTO release_life (environment, release, first_day, last_day)
        SELECT environment, :other, first_day, last_day FROM release_life
        WHERE release = :release AND \(environments) \(Self.mergedLifetime)
        """
    ).execute(arguments: ["other": other, "release": release])
    try database.cachedStatement(sql: "DELETE FROM release_life WHERE release = :release AND \(environments)")
      .execute(arguments: ["release": release])
  }

  private func moveEnvironment(_ name: Int64, to other: Int64) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO release_life (environment, release, first_day, last_day)
        SELECT ?, release, first_day, last_day FROM release_life WHERE environment = ? \(Self.mergedLifetime)
        """
    ).execute(arguments: [other, name])
    try database.cachedStatement(sql: "DELETE FROM release_life WHERE environment = ?").execute(arguments: [name])
    try database.cachedStatement(
      sql: """
        UPDATE environment SET newest_day =
          max(newest_day, (SELECT newest_day FROM environment WHERE id = ?)) WHERE id = ?
        """
    ).execute(arguments: [name, other])
    try database.cachedStatement(sql: "UPDATE environment SET newest_day = ? WHERE id = ?")
      .execute(arguments: [ReleaseLifetimes.never, name])
  }

  private func moveImages(of release: Int64, to other: Int64) throws {
    let app = "app = (SELECT app FROM release WHERE id = :release) AND release = :release"
    try database.cachedStatement(
      sql: """
        INSERT INTO image (app, release, uuid, name, own, seen)
        SELECT app, :other, uuid, name, own, seen FROM image
        WHERE \(app) AND (SELECT count(*) FROM image WHERE app = (SELECT app FROM release WHERE id = :release)
          AND release = :other) < \(SignatureWriter.mostImages)
        ON CONFLICT DO UPDATE SET seen = \(UpsertSum.of("seen")), own = max(own, excluded.own)
        """
    ).execute(arguments: ["other": other, "release": release])
    try database.cachedStatement(sql: "DELETE FROM image WHERE \(app)").execute(arguments: ["release": release])
  }

  /// The rollups of a name, whose rows move to "(other)" in portions. Cells are not included: sessions and diagnostics
  /// refer to them by id, and queries read them under their current names.
  func slices(of name: Int64, _ kind: NameKind, app: AppID) throws -> [Int64] {
    let condition: (kinds: [SliceKind], text: String)
    switch kind {
    case .environment: condition = (SliceKey.rollups + SliceKey.attributeRollups, "environment = :name")
    case .release: condition = ([.release, .releaseAndClass, .releaseAndAttribute], "release = :name")
    case .system: condition = ([.system], "release = 0 AND os = :name")
    case .device: condition = ([.device], "release = 0 AND os = 0 AND device = :name")
    case .attribute: condition = (SliceKey.attributeRollups, "attribute = :name")
    case .metric, .label, .client: return []
    }
    let kinds = condition.kinds.map { "\($0.number)" }.joined(separator: ", ")
    return try Int64.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT id FROM slice WHERE app = :app AND environment IN (SELECT id FROM environment WHERE app = :app)
          AND kind IN (\(kinds)) AND \(condition.text)
          """), arguments: ["app": app, "name": name])
  }
}

extension NameRegistry {
  /// Moves rows of retired names, up to the limit of a batch. The next compaction moves the rest.
  mutating func moveRows(in database: Database) throws {
    guard !unmoved.isEmpty else { return }
    let tables = RowTables(database)
    var room = limits.movedRows
    // A slice with two names that were retired together is listed for each.
    var moved: Set<Int64> = []
    for slice in unmoved where moved.insert(slice).inserted {
      let rows = try tables.count(ofRollup: slice, upTo: room + 1)
      guard rows <= room else { continue }
      room -= rows
      let key = try storedKey(of: slice, in: database)
      try tables.moveRollup(slice, to: try self.slice(current(key, in: database), in: database))
      slices[key] = nil
      keys[slice] = nil
    }
    unmoved = []
    cellSlices = [:]
  }
}
