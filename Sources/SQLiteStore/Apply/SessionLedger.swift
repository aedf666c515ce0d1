import GRDB
import Storage
import Telemetry

/// Turns session updates into what rows gain and lose. Whole user-days are booked out as they were and booked in as
/// they are, so that retries, order and late updates change no number.
struct SessionLedger {
  private let database: Database
  private var before: [SessionID: SessionState] = [:]
  private var after: [SessionID: SessionState] = [:]
  private var late: [LateDay: Int] = [:]

  struct SessionID: Hashable {
    let app: AppID
    let hash: UInt64
  }

  private struct LateDay: Hashable {
    let app: AppID
    let day: Int
  }

  private struct UserDay: Hashable {
    let app: AppID
    let user: UInt64
    let day: CalendarDay
  }

  /// Days a session is remembered after its last receipt.
  static let memory = 14

  init(_ database: Database) { self.database = database }

  /// Sessions that started so long ago that an earlier update may be forgotten: counted, not hidden.
  var lateTallies: [TallyDelta] {
    late.map { key, count in
      TallyDelta(
        app: key.app, day: CalendarDay(number: key.day), kind: .lateSession, reason: "unknown session", detail: "",
        count: count)
    }
  }

  /// Merges one update into the session's state. Gives the state before, nil for a session nobody knew, and after.
  mutating func apply(_ record: SessionRecord, cell: Int64) throws -> SessionChange {
    let id = SessionID(app: record.key.app, hash: record.id)
    let update = SessionState(record, cell: cell)
    if let known = after[id] {
      let merged = try known.merged(with: update, precedes: precedes)
      after[id] = merged
      return SessionChange(old: known, new: merged)
    }
    if let stored = try SessionTable(database).state(of: id) {
      before[id] = stored
      let merged = try stored.merged(with: update, precedes: precedes)
      after[id] = merged
      return SessionChange(old: stored, new: merged)
    }
    after[id] = update
    if update.received - update.day.number > Self.memory {
      late[LateDay(app: id.app, day: update.received), default: 0] += 1
    }
    return SessionChange(old: nil, new: update)
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
  func bookings(places: (Int64) throws -> CellPlaces) throws -> SessionBookings {
    func slices(_ cell: Int64) throws -> [Int64] { try places(cell).rows }
    func clusters(_ cell: Int64) throws -> [Int64] { try places(cell).clusters }
    var bookings = SessionBookings()
    var userDays: Set<UserDay> = []
    for (id, new) in after where before[id] != new {
      for (state, sign) in [(before[id], -1), (new, 1)] {
        guard let state else { continue }
        bookings.book(outcomeOf: state, sign: Int64(sign), at: try slices(state.cell))
        if let user = state.user {
          userDays.insert(UserDay(app: id.app, user: user, day: state.day))
        } else {
          try bookings.book(cluster: [state], sign: Int64(sign), slices: clusters)
        }
      }
    }
    let updated = statesByUserDay()
    let today = after.values.map(\.received).max() ?? 0
    for userDay in userDays {
      let stored = try SessionTable(database).states(app: userDay.app, user: userDay.user, day: userDay.day)
      let untouched = stored.filter { after[$0.key] == nil }.map(\.value)
      let now = untouched + (updated[userDay] ?? [])
      try bookings.book(cluster: stored.map(\.value), sign: -1, slices: clusters)
      try bookings.book(cluster: now, sign: 1, slices: clusters)
      bookings.book(
        user: userDay.user, from: try UserPlaces(of: stored.map(\.value), slices: slices),
        to: try UserPlaces(of: now, slices: slices), received: today)
    }
    return bookings
  }

  /// Writes every state that changed.
  func save() throws {
    for (id, state) in after where before[id] != state { try SessionTable(database).save(state, of: id) }
  }

  /// States of this batch by user-day. Looking through the batch for every user-day would take its square.
  private func statesByUserDay() -> [UserDay: [SessionState]] {
    var index: [UserDay: [SessionState]] = [:]
    for (id, state) in after {
      guard let user = state.user else { continue }
      index[UserDay(app: id.app, user: user, day: state.day), default: []].append(state)
    }
    return index
  }
}
