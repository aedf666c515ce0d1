import Core
import GRDB
import Storage

/// The table `session`. Its column `outcome` is the outcome's raw value, plus 8 if the app hung in the session.
struct SessionTable {
  private let database: Database

  private static let hang: UInt8 = 8

  /// The outcome in a value of the column.
  static func outcome(_ column: UInt8) -> SessionOutcome { SessionOutcome(rawValue: column & (hang - 1)) ?? .healthy }

  init(_ database: Database) { self.database = database }

  private static let columns =
    "outcome, sequence, explicit, user, minute, cell, source, received, user_grade, user_sequence, age"

  func state(of id: SessionID) throws -> SessionState? {
    var found: SessionState?
    try forEachState(of: CollectionOfOne(id)) { found = $1 }
    return found
  }

  /// Passes the state of each session, nil if it is not stored, to `body`.
  func forEachState(of ids: some Sequence<SessionID>, _ body: (SessionID, SessionState?) throws -> Void) throws {
    let statement = try RawStatement(database, sql: "SELECT \(Self.columns) FROM session WHERE app = ? AND sid = ?")
    for id in ids {
      try statement.bind(Int64(id.app), at: 1)
      try statement.bind(Int64(bitPattern: id.hash), at: 2)
      var state: SessionState?
      try statement.forEachRow {
        state = try Self.state($0)
        return false
      }
      try body(id, state)
    }
  }

  /// Passes the state of every session of an app that started on a day to `body`.
  func forEach(of app: AppID, on day: CalendarDay, _ body: (SessionState) throws -> Void) throws {
    let statement = try RawStatement(
      database, sql: "SELECT \(Self.columns) FROM session WHERE app = ? AND minute >= ? AND minute < ?")
    try statement.bind(Int64(app), at: 1)
    try statement.bind(Int64(day.number * 1440), at: 2)
    try statement.bind(Int64((day.number + 1) * 1440), at: 3)
    try statement.forEachRow {
      try body(Self.state($0))
      return true
    }
  }

  /// The sessions of a user on a day, counted by location.
  func sessions(of userDay: UserDay) throws -> UserDaySessions {
    var found = UserDaySessions()
    try forEachUserDay(of: CollectionOfOne(userDay)) { found = $1 }
    return found
  }

  /// Passes the sessions of each user and day, counted by location, to `body`. The query reads only the index. The rows
  /// are summed here, because SQLite would sort them by location first, and most of a user are in one.
  func forEachUserDay(of userDays: some Sequence<UserDay>, _ body: (UserDay, UserDaySessions) throws -> Void) throws {
    let statement = try RawStatement(
      database,
      sql: "SELECT cell, source, outcome FROM session WHERE app = ? AND user = ? AND minute >= ? AND minute < ?")
    for userDay in userDays {
      try statement.bind(Int64(userDay.app), at: 1)
      try statement.bind(Int64(bitPattern: userDay.user), at: 2)
      try statement.bind(Int64(userDay.day.number * 1440), at: 3)
      try statement.bind(Int64((userDay.day.number + 1) * 1440), at: 4)
      var sessions = UserDaySessions()
      var location = UserDaySessions.Location(cell: 0, source: 0)
      var count = UserDaySessions.Count()
      try statement.forEachRow { row in
        let next = UserDaySessions.Location(cell: try row.integer(0), source: try row.byte(1))
        if next != location {
          if count.all > 0 { sessions.add(count, at: location) }
          (location, count) = (next, UserDaySessions.Count())
        }
        let outcome = try row.byte(2)
        count.add(Self.outcome(outcome), hasHang: outcome >= Self.hang, sign: 1)
        return true
      }
      if count.all > 0 { sessions.add(count, at: location) }
      try body(userDay, sessions)
    }
  }

  /// The maximum number of a user's sessions that are searched: a user may have thousands, and an envelope thousands of
  /// hangs.
  private static let mostLooked = 100

  /// A user's latest session from Sentry's client that started within the day before `minute`; nil if there is none, or
  /// if it is not among the user's last sessions.
  func latest(of user: UInt64, _ app: AppID, through minute: Int) throws -> SessionID? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT sid FROM (
          SELECT sid, source, minute FROM session WHERE app = ? AND user = ? AND minute BETWEEN ? AND ?
          ORDER BY minute DESC LIMIT \(Self.mostLooked))
        WHERE source = \(Source.sentry.rawValue) ORDER BY minute DESC, sid LIMIT 1
        """)
    let hash = try Int64.fetchOne(
      statement, arguments: [app, Int64(bitPattern: user), minute - 1440, minute])
    return hash.map { SessionID(app: app, hash: UInt64(bitPattern: $0)) }
  }

  /// Writes many sessions, given in the order of the table.
  func save(_ sessions: some Sequence<(SessionID, SessionState)>) throws {
    let statement = try RawStatement(
      database,
      sql: """
        INSERT OR REPLACE INTO session
        (app, sid, outcome, sequence, explicit, user, minute, cell, source, received, user_grade, user_sequence, age)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    for (id, state) in sessions {
      try statement.bind(Int64(id.app), at: 1)
      try statement.bind(Int64(bitPattern: id.hash), at: 2)
      try statement.bind(Int64(state.outcome.rawValue | (state.hasHang ? Self.hang : 0)), at: 3)
      try statement.bind(state.sequence, at: 4)
      try statement.bind(state.isSequenceExplicit ? 1 : 0, at: 5)
      if let user = state.user { try statement.bind(Int64(bitPattern: user), at: 6) }
      try statement.bind(Int64(state.minute), at: 7)
      try statement.bind(state.cell, at: 8)
      try statement.bind(Int64(state.source), at: 9)
      try statement.bind(Int64(state.received), at: 10)
      if let rank = state.userRank {
        try statement.bind(Int64(rank.grade), at: 11)
        try statement.bind(rank.sequence, at: 12)
      }
      if let age = state.age { try statement.bind(Int64(age.rawValue), at: 13) }
      // Unbound parameters are NULL.
      try statement.execute()
    }
  }

  private static func state(_ row: RawStatement) throws -> SessionState {
    let outcome = try row.byte(0)
    return SessionState(
      sequence: try row.integer(1), minute: Int(try row.integer(4)), cell: try row.integer(5),
      received: Int(try row.integer(7)), user: row.isNull(3) ? nil : UInt64(bitPattern: try row.integer(3)),
      outcome: Self.outcome(outcome), hasHang: outcome >= hang, isSequenceExplicit: try row.integer(2) != 0,
      source: try row.byte(6), age: row.isNull(10) ? nil : UpdateAge(rawValue: try row.byte(10)),
      userRank: row.isNull(8) ? nil : SessionRank(grade: Int(try row.integer(8)), sequence: try row.integer(9)))
  }
}
