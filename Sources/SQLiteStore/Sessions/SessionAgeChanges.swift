public import Core
import GRDB
public import Storage

/// The changes of the table `session_age` by a batch: sessions by release, device class, day and age of the update.
struct SessionAgeChanges {
  private var changes: [Key: Change] = [:]

  private struct Key: Hashable {
    let cell: Int64
    let day: CalendarDay
    let age: UpdateAge
    let source: UInt8
  }

  private struct Change {
    var sessions: Int64 = 0
    var crashed: Int64 = 0
    var hung: Int64 = 0

    mutating func add(_ state: SessionState, _ sign: Int64) {
      sessions += sign
      crashed += state.outcome == .crashed ? sign : 0
      hung += state.hasHang ? sign : 0
    }
  }

  /// Adds a session, or removes it (`sign` −1).
  mutating func add(_ state: SessionState, sign: Int64) {
    guard let age = state.age else { return }
    let key = Key(cell: state.cell, day: state.day, age: age, source: state.source)
    changes[key, default: Change()].add(state, sign)
  }

  /// Writes the changes. `cell`: returns the current key of a cell's slice.
  func write(to database: Database, cell: (Int64) throws -> SliceKey) throws {
    guard !changes.isEmpty else { return }
    let add = try database.cachedStatement(
      sql: """
        INSERT INTO session_age (environment, release, day, class, age, source, sessions, crashed, hung)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
        SET sessions = sessions + excluded.sessions, crashed = crashed + excluded.crashed, hung = hung + excluded.hung
        """)
    for (key, change) in changes where change.sessions != 0 || change.crashed != 0 || change.hung != 0 {
      let slice = try cell(key.cell)
      try add.execute(arguments: [
        slice.environment, slice.release, key.day.number, slice.deviceClass, key.age.rawValue, key.source,
        change.sessions, change.crashed, change.hung,
      ])
    }
  }
}

extension SQLiteStore: UpdateAgeCounts {
  public func sessionsByAge(
    of app: AppID, environment: String, releases: Set<Release>?, in window: Window
  ) throws -> [SessionsByAge] {
    try read { database in
      var (condition, arguments) = ("", [app, environment, window.from.number, window.to.number] as StatementArguments)
      if let releases {
        // As an argument, because each text of a statement stays in the connection's cache.
        condition = "AND session_age.release IN (SELECT value FROM json_each(?))"
        let ids = try Self.builds(releases, of: app, in: database).keys.sorted().map(String.init)
        arguments += ["[\(ids.joined(separator: ","))]"]
      }
      let statement = try database.cachedStatement(
        sql: """
          SELECT release.version, release.build, class, source, day, age, sum(sessions), sum(crashed),
            iif(count(hung) = count(*), sum(hung), NULL) FROM session_age
          JOIN environment ON environment.id = session_age.environment JOIN release ON release.id = session_age.release
          WHERE environment.app = ? AND environment.name = ? AND day BETWEEN ? AND ? \(condition)
          GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(sessions) > 0 ORDER BY 1, 2, 3, 4, 5, 6
          """)
      let rows = try Row.fetchCursor(statement, arguments: arguments)
      var found: [SessionsByAge] = []
      while let row = try rows.next() {
        guard let source = Source(rawValue: try row.value(3)), let age = UpdateAge(rawValue: try row.value(5)) else {
          throw StoreError.damaged("invalid value in the table session_age")
        }
        found.append(
          SessionsByAge(
            release: Release(version: try row.value(0), build: try row.value(1)), deviceClass: try row.value(2),
            source: source, day: try row.day(4), age: age, sessions: try row.value(6), crashed: try row.value(7),
            hung: try row.value(8)))
      }
      return found
    }
  }

  /// Those of `releases` that an app has, by id.
  static func builds(_ releases: Set<Release>, of app: AppID, in database: Database) throws -> [Int64: Release] {
    let statement = try database.cachedStatement(sql: "SELECT id, version, build FROM release WHERE app = ?")
    let rows = try Row.fetchCursor(statement, arguments: [app])
    var builds: [Int64: Release] = [:]
    while let row = try rows.next() {
      let release = Release(version: try row.value(1), build: try row.value(2))
      if releases.contains(release) { builds[try row.value(0)] = release }
    }
    return builds
  }
}
