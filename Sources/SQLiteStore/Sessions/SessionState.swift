import GRDB
import Storage
import Telemetry

/// The winning update of one session, as the table `session` holds it.
struct SessionState: Equatable {
  var outcome: SessionOutcome
  var sequence: Int64
  var isSequenceExplicit: Bool
  var user: UInt64?
  /// The rank of the update that named the user; nil when that is the winning update, or when no update named one.
  var userRank: SessionRank?
  /// Minute of its start, by the app's clocks.
  var minute: Int
  /// Id of the cell's slice it counts in.
  var cell: Int64
  var source: UInt8
  /// Day of the last receipt.
  var received: Int

  init(_ record: SessionRecord, cell: Int64) {
    outcome = record.outcome
    sequence = record.sequence
    isSequenceExplicit = record.isSequenceExplicit
    user = record.user
    minute = record.minute
    self.cell = cell
    source = record.key.source.rawValue
    received = record.received.day().number
  }

  init(
    outcome: SessionOutcome, sequence: Int64, isSequenceExplicit: Bool, user: UInt64?, userRank: SessionRank?,
    minute: Int, cell: Int64, source: UInt8, received: Int
  ) {
    self.outcome = outcome
    self.sequence = sequence
    self.isSequenceExplicit = isSequenceExplicit
    self.user = user
    self.userRank = userRank
    self.minute = minute
    self.cell = cell
    self.source = source
    self.received = received
  }

  var day: CalendarDay { TimeBin(start: minute, resolution: .fiveMinutes).day }

  /// The bin its outcome is counted in: a day, or finer when it was young at its last receipt.
  var bin: TimeBin { TimeBin(containing: minute, age: received * 1440 - minute) }

  /// This state after another update, whatever the order of arrival. The greatest (crashed, explicit, sequence, outcome)
  /// wins; the user is that of the greatest update that names one; the start is the earliest of all updates.
  ///
  /// `precedes` orders the names behind two cells: of two updates that are equally great, the one of the later cell wins.
  func merged(
    with other: SessionState, precedes: (_ cell: Int64, _ other: Int64) throws -> Bool
  ) rethrows -> SessionState {
    let (lower, higher) = try isLess(than: other, precedes) ? (self, other) : (other, self)
    var winner = higher
    if let naming = Self.latestNaming(self, other) {
      winner.user = naming.user
      winner.userRank = naming.namingRank == higher.rank ? nil : naming.namingRank
    }
    winner.minute = min(lower.minute, higher.minute)
    winner.received = max(lower.received, higher.received)
    return winner
  }

  private func isLess(than other: SessionState, _ precedes: (Int64, Int64) throws -> Bool) rethrows -> Bool {
    let (mine, theirs) = ((rank, outcome.rawValue), (other.rank, other.outcome.rawValue))
    if mine != theirs { return mine < theirs }
    return cell == other.cell ? source < other.source : try precedes(cell, other.cell)
  }

  /// The greater of two updates that name a user. Of equally great ones it is the one with the greater hash: the rule must
  /// only not depend on which came first.
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

/// The order of a session's updates: the greatest wins.
struct SessionRank: Equatable, Comparable {
  /// 2: crashed, 1: its number was explicit, or their sum.
  var grade: Int
  var sequence: Int64

  static func < (left: SessionRank, right: SessionRank) -> Bool {
    (left.grade, left.sequence) < (right.grade, right.sequence)
  }
}

/// A session of an app, by the keyed hash of its id.
struct SessionID: Hashable {
  let app: AppID
  let hash: UInt64
}

/// The sessions that a user of an app started on one day.
struct UserDay: Hashable {
  let app: AppID
  let user: UInt64
  let day: CalendarDay
}

/// The table `session`.
struct SessionTable {
  private let database: Database

  init(_ database: Database) { self.database = database }

  private static let columns =
    "outcome, sequence, explicit, user, minute, cell, source, received, user_grade, user_sequence"

  func state(of id: SessionID) throws -> SessionState? {
    let statement = try database.cachedStatement(
      sql: "SELECT \(Self.columns) FROM session WHERE app = ? AND sid = ?")
    let row = try Row.fetchOne(statement, arguments: [id.app, Int64(bitPattern: id.hash)])
    return try row.map(Self.state)
  }

  /// The sessions of a user on a day, summed where they count: the index has all that is read.
  func sessions(of userDay: UserDay) throws -> UserDaySessions {
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
        at: UserDaySessions.Location(cell: try row.value(0), source: try row.value(1)))
    }
    return sessions
  }

  func save(_ state: SessionState, of id: SessionID) throws {
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
