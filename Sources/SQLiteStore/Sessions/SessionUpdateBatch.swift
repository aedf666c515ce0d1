import Core
import GRDB
import Storage

/// The conversion of session updates to changes of rows. All sessions of a changed user-day are subtracted in their old
/// state and added in their new one, so that retries, order and late updates do not matter.
struct SessionUpdateBatch {
  private let database: Database
  private var changes: [SessionID: Change] = [:]
  private var late: [AppDay: Int] = [:]
  private var unnamed: [AppDay: Int] = [:]
  /// The sessions of each changed user-day as stored before the batch.
  private var stored: [UserDay: UserDaySessions] = [:]
  /// The number of sessions of each changed user-day, including the batch's.
  private var sizes: [UserDay: Int] = [:]
  private(set) var installations: InstallationTable

  /// The states of a session before the batch, nil if it was unknown, and after it.
  private struct Change {
    let old: SessionState?
    var new: SessionState?

    var isChanged: Bool { old != new }
  }

  private struct AppDay: Hashable {
    let app: AppID
    let day: Int
  }

  /// The number of days for which a session is remembered after its last receipt.
  private let memory: Int
  /// The maximum number of sessions of a user on a day. No person exceeds it, but an id shared by many devices does.
  /// Sessions beyond it count without a user.
  static let mostOfUser = 10_000

  init(_ database: Database, memory: Int = Retention().sessions) {
    self.database = database
    self.memory = memory
    installations = InstallationTable(database)
  }

  /// The tallies of sessions that started so long ago that an earlier update may have been deleted, and of sessions
  /// that are counted without their user.
  var tallies: [IntakeTally] {
    func tallies(_ counts: [AppDay: Int], _ kind: TallyKind, _ reason: String) -> [IntakeTally] {
      counts.map { key, count in
        IntakeTally(
          app: key.app, day: CalendarDay(number: key.day), kind: kind, client: "", reason: reason, detail: "",
          count: count)
      }
    }
    return tallies(late, .lateSession, "unknown session")
      + tallies(unnamed, .setApart, IntakeTally.withoutUser)
  }

  /// Reads the stored states of a batch's sessions in the order of the table, so that each page is read once.
  mutating func prepare(_ records: [SessionRecord]) throws {
    changes.reserveCapacity(records.count)
    let table = SessionTable(database)
    for id in Set(records.map { SessionID(app: $0.key.app, hash: $0.id) }).sorted() {
      let old = try table.state(of: id)
      changes[id] = Change(old: old, new: old)
    }
    let userDays = Set(
      records.compactMap { record in
        record.user.map {
          UserDay(app: record.key.app, user: $0, day: TimeBin(start: record.minute, resolution: .fiveMinutes).day)
        }
      })
    for userDay in userDays.sorted() { stored[userDay] = try table.sessions(of: userDay) }
  }

  /// Merges an update into the session's state. Returns the states before, nil for an unknown session, and after.
  /// `key`, `cell`: the key and id of the record's cell.
  mutating func apply(
    _ record: SessionRecord, _ key: SliceKey, cell: Int64
  ) throws -> (old: SessionState?, new: SessionState) {
    let id = SessionID(app: record.key.app, hash: record.id)
    let update = SessionState(record, cell: cell)
    let change = try changes[id] ?? change(of: id)
    let old = change.new
    var new = try old?.merged(with: update, precedes: precedes) ?? update
    if try !hasRoom(for: new, instead: old, of: id.app) {
      if old?.user != nil || old == nil { unnamed[AppDay(app: id.app, day: update.received), default: 0] += 1 }
      (new.user, new.userRank) = (nil, nil)
    }
    if new.age == nil, let user = new.user { new.age = try installations.age(of: record, user: user, in: key) }
    try count(new, instead: old, of: id.app)
    changes[id] = Change(old: change.old, new: new)
    if old == nil, update.received - update.day.number > memory {
      late[AppDay(app: id.app, day: update.received), default: 0] += 1
    }
    return (old, new)
  }

  /// Marks the session of a hang. It is the session that the diagnostic names or, if it names none, its user's latest
  /// session that had started by then. A hang without a stored session changes nothing. Returns the session's states before
  /// and after.
  mutating func noteHang(_ record: DiagnosticRecord) throws -> (old: SessionState, new: SessionState)? {
    guard let minute = record.hangMinute else { return nil }
    let app = record.key.app
    let named = record.session.map { SessionID(app: app, hash: $0) }
    guard let id = try named ?? record.user.flatMap({ try SessionTable(database).latest(of: $0, app, through: minute) })
    else { return nil }
    var change = try changes[id] ?? change(of: id)
    let old = change.new
    change.new?.hasHang = true
    changes[id] = change
    guard let old, let new = change.new else { return nil }
    return (old, new)
  }

  /// Removes stored sessions. Unknown ones change nothing.
  mutating func remove(_ ids: [SessionID]) throws {
    for id in ids { changes[id] = Change(old: try SessionTable(database).state(of: id), new: nil) }
  }

  /// The states of the removed sessions.
  var removed: [SessionState] { changes.values.compactMap { $0.new == nil ? $0.old : nil } }

  private func change(of id: SessionID) throws -> Change {
    let old = try SessionTable(database).state(of: id)
    return Change(old: old, new: old)
  }

  /// Whether the user may have another session on the day.
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

  /// The sessions of a user-day as stored before the batch.
  private mutating func sessions(of userDay: UserDay) throws -> UserDaySessions {
    if let known = stored[userDay] { return known }
    let sessions = try SessionTable(database).sessions(of: userDay)
    stored[userDay] = sessions
    return sessions
  }

  private static func userDay(of state: SessionState, _ app: AppID) -> UserDay? {
    state.user.map { UserDay(app: app, user: $0, day: state.day) }
  }

  /// Orders cells by their names, not by their ids, which depend on the order of arrival.
  private func precedes(_ cell: Int64, _ other: Int64) throws -> Bool {
    try names(of: cell).lexicographicallyPrecedes(names(of: other))
  }

  /// The environment, version, build, OS version, model and values of attributes of a cell.
  private func names(of cell: Int64) throws -> [String] {
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT environment.name, release.version, release.build, os.name, device.model,
          coalesce(\(SliceAttributes.texts), '') FROM slice
        JOIN environment ON environment.id = slice.environment JOIN release ON release.id = slice.release
        JOIN os ON os.id = slice.os JOIN device ON device.id = slice.device
        \(SliceAttributes.join) WHERE slice.id = ?
        """, arguments: [cell])
    guard let row else { throw StoreError.damaged("the slice \(cell) does not exist") }
    return try (0..<6).map { try row.value($0) }
  }

  /// Passes the states of each changed session before and after the batch to `body`.
  func forEachChange(_ body: (_ old: SessionState?, _ new: SessionState) throws -> Void) rethrows {
    for change in changes.values where change.isChanged {
      if let new = change.new { try body(change.old, new) }
    }
  }

  /// The changes of rows by the batch's sessions. `slicesOf`: returns the slices that count a cell's data.
  /// `listsMemberships`: whether changes of users are listed one by one.
  mutating func counts(
    listsMemberships: Bool = false, _ slicesOf: (Int64) throws -> CellSlices
  ) throws -> SessionRowChanges {
    func slices(_ cell: Int64) throws -> [Int64] { try slicesOf(cell).rows }
    func clusters(_ cell: Int64) throws -> [Int64] { try slicesOf(cell).clusters }
    var counts = SessionRowChanges(memory: memory, listsMemberships: listsMemberships)
    var changed: [UserDay: UserDaySessions] = [:]
    for (id, change) in changes where change.isChanged {
      for sign in [-1, 1] {
        guard let state = sign < 0 ? change.old : change.new else { continue }
        counts.add(outcomeOf: state, sign: Int64(sign))
        counts.ages.add(state, sign: Int64(sign))
        if let userDay = Self.userDay(of: state, id.app) {
          if changed[userDay] == nil { changed[userDay] = try sessions(of: userDay) }
          changed[userDay]?.add(state, sign)
        } else {
          try counts.add(
            UserDaySessions(state), isKnownUser: false, state.day, sign: Int64(sign), received: state.received,
            slices: clusters)
        }
      }
    }
    try counts.spreadOutcomes(slices)
    let today = changes.values.reduce(0) { max($0, $1.new?.received ?? 0) }
    for (userDay, now) in changed {
      let old = try sessions(of: userDay)
      try counts.add(old, isKnownUser: true, userDay.day, sign: -1, received: 0, slices: clusters)
      try counts.add(now, isKnownUser: true, userDay.day, sign: 1, received: today, slices: clusters)
      counts.move(
        user: userDay.user, from: try UserRows(of: old, on: userDay.day, slices: slices),
        to: try UserRows(of: now, on: userDay.day, slices: slices), received: today)
    }
    return counts
  }

  /// Writes the new state of every changed session.
  func save() throws {
    // In the order of the table, so that each page is changed once.
    try SessionTable(database).save(
      changes.keys.sorted().lazy.compactMap { id in
        guard let change = changes[id], change.isChanged, let new = change.new else { return nil }
        return (id, new)
      })
    try installations.save()
  }
}
