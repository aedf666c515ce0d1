import GRDB
import Storage
import Telemetry

/// The table of sessions.
struct SessionTable {
  private let database: Database

  init(_ database: Database) { self.database = database }

  private static let columns =
    "outcome, sequence, explicit, user, minute, cell, source, received, user_grade, user_sequence"

  func state(of id: SessionLedger.SessionID) throws -> SessionState? {
    let statement = try database.cachedStatement(
      sql: "SELECT \(Self.columns) FROM session WHERE app = ? AND sid = ?")
    let row = try Row.fetchOne(statement, arguments: [id.app, Int64(bitPattern: id.hash)])
    return try row.map(Self.state)
  }

  /// The sessions of a user on a day, summed where they count: the index has all that is read.
  func sessions(of userDay: SessionLedger.UserDay) throws -> UserDaySessions {
    let statement = try database.cachedStatement(
      sql: """
        SELECT cell, source, count(*), sum(outcome = \(SessionOutcome.crashed.rawValue)) FROM session
        WHERE app = ? AND user = ? AND minute >= ? AND minute < ? GROUP BY cell, source
        """)
    let day = userDay.day.number
    let rows = try Row.fetchCursor(
      statement, arguments: [userDay.app, Int64(bitPattern: userDay.user), day * 1440, (day + 1) * 1440])
    var sessions = UserDaySessions()
    while let row = try rows.next() {
      sessions.add(
        UserDaySessions.Count(all: try row.value(2), crashed: try row.value(3)),
        at: UserDaySessions.Place(cell: try row.value(0), source: try row.value(1)))
    }
    return sessions
  }

  func save(_ state: SessionState, of id: SessionLedger.SessionID) throws {
    try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO session
        (app, sid, outcome, sequence, explicit, user, minute, cell, source, received, user_grade, user_sequence)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id.app, Int64(bitPattern: id.hash), Int(state.outcome.rawValue), state.sequence,
      state.isSequenceExplicit ? 1 : 0, state.user.map(Int64.init(bitPattern:)), state.minute, state.cell,
      Int(state.source), state.received, state.userRank?.grade, state.userRank?.sequence,
    ])
  }

  private static func state(_ row: Row) throws -> SessionState {
    let user: Int64? = try row.value(3)
    let userGrade: Int? = try row.value(8)
    return SessionState(
      outcome: SessionOutcome(rawValue: try row.value(0)) ?? .healthy, sequence: try row.value(1),
      isSequenceExplicit: try row.value(2), user: user.map(UInt64.init(bitPattern:)),
      userRank: try userGrade.map { SessionRank(grade: $0, sequence: try row.value(9)) }, minute: try row.value(4),
      cell: try row.value(5), source: try row.value(6), received: try row.value(7))
  }
}
