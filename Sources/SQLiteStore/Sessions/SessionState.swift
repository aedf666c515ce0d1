import Core
import GRDB
import Storage

/// The merged state of one session, as stored in the table `session`.
struct SessionState: Equatable {
  var outcome: SessionOutcome
  /// Whether the app hung in the session, according to any of its updates or to a diagnostic.
  var hasHang = false
  var sequence: Int64
  var isSequenceExplicit: Bool
  var user: UInt64?
  /// The rank of the update with the user; nil if that is the winning update, or if no update has a user.
  var userRank: SessionRank?
  /// The session's start in minutes since 1970, by the clocks of the app's time zone.
  var minute: Int
  /// The id of the slice of the cell in which the session is counted.
  var cell: Int64
  var source: UInt8
  /// The day of the last receipt, in days since 1970.
  var received: Int
  /// The age of the installation's update at the start; nil without an installation.
  var age: UpdateAge?

  var day: CalendarDay { TimeBin(start: minute, resolution: .fiveMinutes).day }

  /// The bin in which the outcome is counted: a day, or finer if the session was recent at its last receipt.
  var bin: TimeBin { TimeBin(containing: minute, age: received * 1440 - minute) }

  /// The state after another update, regardless of the order of arrival. The greatest (crashed, explicit, sequence,
  /// outcome) wins; the user is that of the greatest update with a user; the start is the earliest of all updates.
  ///
  /// `precedes` orders two cells by their names: among equal updates the one with the later cell wins.
  func merged(
    with other: SessionState, precedes: (_ cell: Int64, _ other: Int64) throws -> Bool
  ) rethrows -> SessionState {
    let (lower, higher) = try isLess(than: other, precedes) ? (self, other) : (other, self)
    var winner = higher
    if let naming = Self.latestNaming(self, other) {
      winner.user = naming.user
      winner.userRank = naming.namingRank == higher.rank ? nil : naming.namingRank
    }
    winner.hasHang = lower.hasHang || higher.hasHang
    winner.minute = min(lower.minute, higher.minute)
    winner.age = age ?? other.age
    winner.received = max(lower.received, higher.received)
    return winner
  }

  private func isLess(than other: SessionState, _ precedes: (Int64, Int64) throws -> Bool) rethrows -> Bool {
    let (mine, theirs) = ((rank, outcome.rawValue), (other.rank, other.outcome.rawValue))
    if mine != theirs { return mine < theirs }
    return cell == other.cell ? source < other.source : try precedes(cell, other.cell)
  }

  /// The greater of two updates with a user. If they are equal, it is the one with the greater hash, so that the result
  /// does not depend on the order of arrival.
  private static func latestNaming(_ one: SessionState, _ other: SessionState) -> SessionState? {
    guard let user = one.user else { return other.user == nil ? nil : other }
    guard let theirs = other.user else { return one }
    return (one.namingRank, user) < (other.namingRank, theirs) ? other : one
  }

  private var rank: SessionRank {
    SessionRank(grade: (outcome == .crashed ? 2 : 0) + (isSequenceExplicit ? 1 : 0), sequence: sequence)
  }

  private var namingRank: SessionRank { userRank ?? rank }
}

extension SessionState {
  init(_ record: SessionRecord, cell: Int64) {
    self.init(
      outcome: record.outcome, hasHang: record.hasHang, sequence: record.sequence,
      isSequenceExplicit: record.isSequenceExplicit, user: record.user, minute: record.minute, cell: cell,
      source: record.key.source.rawValue, received: record.received.day().number)
  }
}

/// The order of a session's updates; the greatest wins.
struct SessionRank: Equatable, Comparable {
  /// The first criterion: 2 for a crash, plus 1 for an explicit sequence number.
  var grade: Int
  var sequence: Int64

  static func < (left: SessionRank, right: SessionRank) -> Bool {
    (left.grade, left.sequence) < (right.grade, right.sequence)
  }
}

/// A session of an app, by the keyed hash of its id.
struct SessionID: Hashable, Comparable {
  let app: AppID
  let hash: UInt64

  /// The order of the table, whose integers are signed.
  static func < (left: SessionID, right: SessionID) -> Bool {
    (left.app, Int64(bitPattern: left.hash)) < (right.app, Int64(bitPattern: right.hash))
  }
}

/// A user of an app on one day: the key of the sessions that the user started on that day.
struct UserDay: Hashable, Comparable {
  let app: AppID
  let user: UInt64
  let day: CalendarDay

  /// The order of the index.
  static func < (left: UserDay, right: UserDay) -> Bool {
    (left.app, Int64(bitPattern: left.user), left.day) < (right.app, Int64(bitPattern: right.user), right.day)
  }
}

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
    let statement = try database.cachedStatement(
      sql: "SELECT \(Self.columns) FROM session WHERE app = ? AND sid = ?")
    let row = try Row.fetchOne(statement, arguments: [id.app, Int64(bitPattern: id.hash)])
    return try row.map(Self.state)
  }

  /// Passes the state of every session of an app that started on a day to `body`.
  func forEach(of app: AppID, on day: CalendarDay, _ body: (SessionState) throws -> Void) throws {
    let rows = try Row.fetchCursor(
      database, sql: "SELECT \(Self.columns) FROM session WHERE app = ? AND minute >= ? AND minute < ?",
      arguments: [app, day.number * 1440, (day.number + 1) * 1440])
    while let row = try rows.next() { try body(Self.state(row)) }
  }

  /// The sessions of a user on a day, counted by location. The query reads only the index.
  func sessions(of userDay: UserDay) throws -> UserDaySessions {
    let statement = try database.cachedStatement(
      sql: """
        SELECT cell, source, count(*), sum(outcome & \(Self.hang - 1) = \(SessionOutcome.crashed.rawValue)),
          sum(outcome >= \(Self.hang)) FROM session
        WHERE app = ? AND user = ? AND minute >= ? AND minute < ? GROUP BY cell, source
        """)
    let day = userDay.day.number
    let rows = try Row.fetchCursor(
      statement, arguments: [userDay.app, Int64(bitPattern: userDay.user), day * 1440, (day + 1) * 1440])
    var sessions = UserDaySessions()
    while let row = try rows.next() {
      sessions.add(
        UserDaySessions.Count(all: try row.value(2), crashed: try row.value(3), withHang: try row.value(4)),
        at: UserDaySessions.Location(cell: try row.value(0), source: try row.value(1)))
    }
    return sessions
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
    let statement = try RowStatement(
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

  private static func state(_ row: Row) throws -> SessionState {
    let user: Int64? = try row.value(3)
    let userGrade: Int? = try row.value(8)
    let outcome: UInt8 = try row.value(0)
    return SessionState(
      outcome: Self.outcome(outcome), hasHang: outcome >= hang, sequence: try row.value(1),
      isSequenceExplicit: try row.value(2), user: user.map(UInt64.init(bitPattern:)),
      userRank: try userGrade.map { SessionRank(grade: $0, sequence: try row.value(9)) }, minute: try row.value(4),
      cell: try row.value(5), source: try row.value(6), received: try row.value(7),
      age: try row.value(10, as: UInt8?.self).flatMap(UpdateAge.init))
  }
}
