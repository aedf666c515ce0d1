import GRDB
import Storage
import Telemetry

/// Turns session updates into what rows gain and lose. Whole user-days are booked out as they were and booked in as
/// they are, so that retries, order and late updates change no number.
struct SessionLedger {
  private let database: Database
  private var before: [SessionID: SessionState] = [:]
  private var after: [SessionID: SessionState] = [:]
  private var late: [AppDay: Int] = [:]
  private var unnamed: [AppDay: Int] = [:]
  /// User-days as they are stored, and how many sessions they will have.
  private var stored: [UserDay: UserDaySessions] = [:]
  private var sizes: [UserDay: Int] = [:]

  struct SessionID: Hashable {
    let app: AppID
    let hash: UInt64
  }

  private struct AppDay: Hashable {
    let app: AppID
    let day: Int
  }

  struct UserDay: Hashable {
    let app: AppID
    let user: UInt64
    let day: CalendarDay
  }

  /// Days a session is remembered after its last receipt.
  static let memory = 14
  /// Sessions that a user may have on a day. Nobody has more; an id that all devices share does. Those beyond count as
  /// sessions of nobody known.
  static let mostOfUser = 10_000

  init(_ database: Database) { self.database = database }

  /// Sessions that started so long ago that an earlier update may be forgotten, and those that lost their user: counted, not
  /// hidden.
  var tallies: [TallyDelta] {
    func tallies(_ counts: [AppDay: Int], _ kind: TallyKind, _ reason: String) -> [TallyDelta] {
      counts.map { key, count in
        TallyDelta(
          app: key.app, day: CalendarDay(number: key.day), kind: kind, client: "", reason: reason, detail: "",
          count: count)
      }
    }
    return tallies(late, .lateSession, "unknown session")
      + tallies(unnamed, .setApart, TallyDelta.withoutUser)
  }

  /// Merges one update into the session's state. Gives the state before, nil for a session nobody knew, and after.
  mutating func apply(_ record: SessionRecord, cell: Int64) throws -> SessionChange {
    let id = SessionID(app: record.key.app, hash: record.id)
    let update = SessionState(record, cell: cell)
    var old = after[id]
    if old == nil {
      old = try SessionTable(database).state(of: id)
      before[id] = old
    }
    var new = try old?.merged(with: update, precedes: precedes) ?? update
    if try !hasRoom(for: new, instead: old, of: id.app) {
      if old?.user != nil || old == nil { unnamed[AppDay(app: id.app, day: update.received), default: 0] += 1 }
      (new.user, new.userRank) = (nil, nil)
    }
    try count(new, instead: old, of: id.app)
    after[id] = new
    if old == nil, update.received - update.day.number > Self.memory {
      late[AppDay(app: id.app, day: update.received), default: 0] += 1
    }
    return SessionChange(old: old, new: new)
  }

  /// Whether the user may have one more session on the day.
  private mutating func hasRoom(for new: SessionState, instead old: SessionState?, of app: AppID) throws -> Bool {
    guard let to = Self.userDay(of: new, app), to != old.flatMap({ Self.userDay(of: $0, app) }) else { return true }
    return try size(of: to) < Self.mostOfUser
  }

  private mutating func count(_ new: SessionState, instead old: SessionState?, of app: AppID) throws {
    let (from, to) = (old.flatMap { Self.userDay(of: $0, app) }, Self.userDay(of: new, app))
    guard from != to else { return }
    if let to { sizes[to] = try size(of: to) + 1 }
    if let from { sizes[from] = try size(of: from) - 1 }
  }

  private mutating func size(of userDay: UserDay) throws -> Int {
    if let known = sizes[userDay] { return known }
    return try sessions(of: userDay).count
  }

  /// As they were before the batch.
  private mutating func sessions(of userDay: UserDay) throws -> UserDaySessions {
    if let known = stored[userDay] { return known }
    let sessions = try SessionTable(database).sessions(of: userDay)
    stored[userDay] = sessions
    return sessions
  }

  private static func userDay(of state: SessionState, _ app: AppID) -> UserDay? {
    state.user.map { UserDay(app: app, user: $0, day: state.day) }
  }

  /// By what the cells are about, not by their numbers, which depend on what came first.
  private func precedes(_ cell: Int64, _ other: Int64) throws -> Bool {
    try CellNames(database).names(of: cell).lexicographicallyPrecedes(CellNames(database).names(of: other))
  }

  /// What the batch did to each session it changed.
  var changes: [SessionChange] {
    after.compactMap { id, new in before[id] == new ? nil : SessionChange(old: before[id], new: new) }
  }

  /// What rows gain and lose. `places` names where a cell is counted.
  mutating func bookings(places: (Int64) throws -> CellPlaces) throws -> SessionCounts {
    func slices(_ cell: Int64) throws -> [Int64] { try places(cell).rows }
    func clusters(_ cell: Int64) throws -> [Int64] { try places(cell).clusters }
    var bookings = SessionCounts()
    var changed: [UserDay: UserDaySessions] = [:]
    for (id, new) in after where before[id] != new {
      for (state, sign) in [(before[id], -1), (new, 1)] {
        guard let state else { continue }
        bookings.book(outcomeOf: state, sign: Int64(sign), at: try slices(state.cell))
        if let userDay = Self.userDay(of: state, id.app) {
          if changed[userDay] == nil { changed[userDay] = try sessions(of: userDay) }
          changed[userDay]?.add(state, sign)
        } else {
          try bookings.book(
            UserDaySessions(state), isKnownUser: false, state.day, sign: Int64(sign), received: state.received,
            slices: clusters)
        }
      }
    }
    let today = after.values.map(\.received).max() ?? 0
    for (userDay, now) in changed {
      let old = try sessions(of: userDay)
      try bookings.book(old, isKnownUser: true, userDay.day, sign: -1, received: 0, slices: clusters)
      try bookings.book(now, isKnownUser: true, userDay.day, sign: 1, received: today, slices: clusters)
      bookings.book(
        user: userDay.user, from: try UserPlaces(of: old, on: userDay.day, slices: slices),
        to: try UserPlaces(of: now, on: userDay.day, slices: slices), received: today)
    }
    return bookings
  }

  /// Writes every state that changed.
  func save() throws {
    for (id, state) in after where before[id] != state { try SessionTable(database).save(state, of: id) }
  }
}
