import Core
import GRDB
import Storage

/// The table `installation`: the release that each installation runs, and since when.
struct InstallationTable {
  private let database: Database
  private var known: [Key: State] = [:]
  private var changed: Set<Key> = []
  /// The number of rows that the batch added for each app.
  private(set) var added: [AppID: Int] = [:]

  private struct Key: Hashable, Comparable {
    let environment: Int64
    let user: UInt64

    /// The order of the table, whose integers are signed.
    static func < (left: Key, right: Key) -> Bool {
      (left.environment, Int64(bitPattern: left.user)) < (right.environment, Int64(bitPattern: right.user))
    }
  }

  private struct State {
    var release: Int64
    var since: Int
    var seen: Int
  }

  init(_ database: Database) { self.database = database }

  /// The age of the update at the start of a session that was not counted before. Notes the first session with a
  /// release. Nil for a session of a release that the installation has left.
  mutating func age(of record: SessionRecord, user: UInt64, in cell: SliceKey) throws -> UpdateAge? {
    let key = Key(environment: cell.environment, user: user)
    let received = record.received.day().number
    let stored = try known[key] ?? state(of: key)
    guard var state = stored, state.release == cell.release || record.minute > state.since else {
      if stored == nil { added[cell.app, default: 0] += 1 }
      guard stored == nil else { return nil }
      change(key, State(release: cell.release, since: record.minute, seen: received))
      return .firstSession
    }
    guard state.release == cell.release, record.minute > state.since else {
      change(key, State(release: cell.release, since: record.minute, seen: max(received, state.seen)))
      return .firstSession
    }
    if received >= state.seen + Self.delay {
      state.seen = received
      change(key, state)
    } else {
      known[key] = state
    }
    func day(_ minute: Int) -> CalendarDay { TimeBin(start: minute, resolution: .fiveMinutes).day }
    return UpdateAge(of: day(record.minute), since: day(state.since))
  }

  /// The number of days by which `seen` may lag, so that most sessions write nothing.
  private static let delay = 7

  private mutating func change(_ key: Key, _ state: State) {
    known[key] = state
    changed.insert(key)
  }

  private func state(of key: Key) throws -> State? {
    let statement = try RawStatement(
      database, sql: "SELECT release, since, seen FROM installation WHERE environment = ? AND user = ?")
    try statement.bind(key.environment, at: 1)
    try statement.bind(Int64(bitPattern: key.user), at: 2)
    var found: State?
    try statement.forEachRow { row in
      found = State(release: try row.integer(0), since: Int(try row.integer(1)), seen: Int(try row.integer(2)))
      return false
    }
    return found
  }

  /// Writes the changed rows in the order of the table.
  func save() throws {
    let statement = try RawStatement(
      database,
      sql: "INSERT OR REPLACE INTO installation (environment, user, release, since, seen) VALUES (?, ?, ?, ?, ?)")
    for key in changed.sorted() {
      guard let state = known[key] else { continue }
      try statement.bind(key.environment, at: 1)
      try statement.bind(Int64(bitPattern: key.user), at: 2)
      try statement.bind(state.release, at: 3)
      try statement.bind(Int64(state.since), at: 4)
      try statement.bind(Int64(state.seen), at: 5)
      try statement.execute()
    }
  }

  /// Deletes a user of an app.
  static func erase(user: UInt64, of app: AppID, in database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM installation WHERE user = ? AND environment IN (SELECT id FROM environment WHERE app = ?)
        """, arguments: [Int64(bitPattern: user), app])
    try RowCounts.subtract(database.changesCount, .installation, app, in: database)
  }
}
