import Core
import GRDB
import Storage

/// The conversion of session updates to changes of rows. All sessions of a changed user-day are subtracted in their old
/// state and added in their new one, so that retries, order and late updates do not matter.
struct SessionUpdateBatch {
  private let database: Database
  /// The sessions that the batch may change, each with its state after the batch; nil if it does not exist. The first
  /// `sorted` are in the order of the table.
  private var sessions: [(id: SessionID, new: SessionState?)] = []
  private var sorted = 0
  /// The positions in `sessions`.
  private var positions: [SessionID: Int32] = [:]
  /// By position, the states before the batch of those that were stored.
  private var old: [Int32: SessionState] = [:]
  private var late: [AppDay: Int] = [:]
  private var unnamed: [AppDay: Int] = [:]
  private var userDays: [UserDay: Sessions] = [:]
  private(set) var installations: InstallationTable

  /// The sessions of a changed user-day.
  private struct Sessions {
    /// As stored before the batch.
    let stored: UserDaySessions
    /// The number of sessions, including the batch's.
    var count: Int32

    init(_ stored: UserDaySessions) {
      self.stored = stored
      count = Int32(clamping: stored.count)
    }
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
    let table = SessionTable(database)
    try table.forEachState(of: Self.distinct(records.map { SessionID(app: $0.key.app, hash: $0.id) })) { id, state in
      _ = note(id, stored: state)
    }
    sorted = sessions.count
    let found = Self.distinct(
      records.compactMap { record in
        record.user.map {
          UserDay(app: record.key.app, user: $0, day: TimeBin(start: record.minute, resolution: .fiveMinutes).day)
        }
      })
    userDays.reserveCapacity(found.count)
    try table.forEachUserDay(of: found) { userDays[$0] = Sessions($1) }
  }

  /// The values in ascending order, each once.
  private static func distinct<Value: Comparable>(_ values: [Value]) -> [Value] {
    let sorted = values.sorted()
    return zip(sorted, [nil] + sorted).compactMap { $0 == $1 ? nil : $0 }
  }

  /// Adds a session. Returns its position.
  private mutating func note(_ id: SessionID, stored: SessionState?) -> Int32 {
    let position = Int32(sessions.count)
    sessions.append((id, stored))
    positions[id] = position
    if let stored { old[position] = stored }
    return position
  }

  /// The position of a session, which is read if it is new to the batch.
  private mutating func position(of id: SessionID) throws -> Int32 {
    try positions[id] ?? note(id, stored: SessionTable(database).state(of: id))
  }

  private func isChanged(_ position: Int32) -> Bool { old[position] != sessions[Int(position)].new }

  /// Merges an update into the session's state. Returns the states before, nil for an unknown session, and after.
  /// `key`, `cell`: the key and id of the record's cell.
  mutating func apply(
    _ record: SessionRecord, _ key: SliceKey, cell: Int64
  ) throws -> (old: SessionState?, new: SessionState) {
    let id = SessionID(app: record.key.app, hash: record.id)
    let update = SessionState(record, cell: cell)
    let position = Int(try position(of: id))
    let old = sessions[position].new
    var new = try old?.merged(with: update, precedes: precedes) ?? update
    if try !hasRoom(for: new, instead: old, of: id.app) {
      if old?.user != nil || old == nil { unnamed[AppDay(app: id.app, day: update.received), default: 0] += 1 }
      (new.user, new.userRank) = (nil, nil)
    }
    if new.age == nil, let user = new.user { new.age = try installations.age(of: record, user: user, in: key) }
    try count(new, instead: old, of: id.app)
    sessions[position].new = new
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
    let position = Int(try position(of: id))
    guard let old = sessions[position].new else { return nil }
    var new = old
    new.hasHang = true
    sessions[position].new = new
    return (old, new)
  }

  /// Removes stored sessions. Unknown ones change nothing.
  mutating func remove(_ ids: [SessionID]) throws {
    for id in ids { sessions[Int(try position(of: id))].new = nil }
  }

  /// The states of the removed sessions.
  var removed: [SessionState] { old.compactMap { sessions[Int($0)].new == nil ? $1 : nil } }

  /// Whether the user may have another session on the day.
  private mutating func hasRoom(for new: SessionState, instead old: SessionState?, of app: AppID) throws -> Bool {
    guard let to = Self.userDay(of: new, app), to != old.flatMap({ Self.userDay(of: $0, app) }) else { return true }
    return try sessions(of: to).count < Self.mostOfUser
  }

  private mutating func count(_ new: SessionState, instead old: SessionState?, of app: AppID) throws {
    let (from, to) = (old.flatMap { Self.userDay(of: $0, app) }, Self.userDay(of: new, app))
    guard from != to else { return }
    if let to { try count(1, on: to) }
    if let from { try count(-1, on: from) }
  }

  private mutating func count(_ change: Int32, on userDay: UserDay) throws {
    _ = try sessions(of: userDay)
    userDays[userDay]?.count += change
  }

  private mutating func sessions(of userDay: UserDay) throws -> Sessions {
    if let known = userDays[userDay] { return known }
    let sessions = Sessions(try SessionTable(database).sessions(of: userDay))
    userDays[userDay] = sessions
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
    for (position, session) in sessions.enumerated() where isChanged(Int32(position)) {
      if let new = session.new { try body(old[Int32(position)], new) }
    }
  }

  /// The changes of rows by the batch's sessions. `slicesOf`: returns the slices that count a cell's data.
  /// `listsMemberships`: whether changes of users are listed one by one.
  mutating func counts(
    listsMemberships: Bool = false, _ slicesOf: (Int64) throws -> CellSlices
  ) throws -> SessionRowChanges {
    func slices(_ cell: Int64) throws -> [Int64] { try slicesOf(cell).rows }
    var counts = SessionRowChanges(memory: memory, listsMemberships: listsMemberships)
    var changed: [UserDayChange] = []
    for (index, session) in sessions.enumerated() where isChanged(Int32(index)) {
      for sign in [-1, 1] {
        guard let state = sign < 0 ? old[Int32(index)] : session.new else { continue }
        counts.days.insert(session.id.app, state.day)
        counts.add(outcomeOf: state, sign: Int64(sign))
        counts.ages.add(state, sign: Int64(sign))
        if let userDay = Self.userDay(of: state, session.id.app) {
          changed.append(UserDayChange(userDay: userDay, position: Int32(index), sign: Int8(sign)))
        } else {
          try counts.add(
            UserDaySessions(state), isKnownUser: false, state.day, sign: Int64(sign), received: state.received,
            slices: slicesOf)
        }
      }
    }
    let today = sessions.reduce(0) { max($0, $1.new?.received ?? 0) }
    // One user-day after the other, because a batch may have as many as sessions.
    changed.sort { $0.userDay < $1.userDay }
    var next = 0
    while next < changed.count {
      let (first, userDay) = (next, changed[next].userDay)
      repeat { next += 1 } while next < changed.count && changed[next].userDay == userDay
      let stored = try sessions(of: userDay).stored
      var now = stored
      for change in changed[first..<next] {
        let state = change.sign < 0 ? old[change.position] : sessions[Int(change.position)].new
        if let state { now.add(state, Int(change.sign)) }
      }
      try counts.add(stored, isKnownUser: true, userDay.day, sign: -1, received: 0, slices: slicesOf)
      try counts.add(now, isKnownUser: true, userDay.day, sign: 1, received: today, slices: slicesOf)
      counts.move(
        user: userDay.user, from: try UserRows(of: stored, on: userDay.day, slices: slices),
        to: try UserRows(of: now, on: userDay.day, slices: slices), received: today)
    }
    try counts.spread(slicesOf)
    return counts
  }

  /// A session that a user-day loses or gains.
  private struct UserDayChange {
    let userDay: UserDay
    let position: Int32
    let sign: Int8
  }

  /// Writes the new state of every changed session.
  func save() throws {
    // In the order of the table, so that each page is changed once.
    let further = sessions.indices.dropFirst(sorted).sorted { sessions[$0].id < sessions[$1].id }
    for positions in [Array(0..<sorted), further] {
      try SessionTable(database).save(
        positions.lazy.compactMap { position in
          guard isChanged(Int32(position)), let new = sessions[position].new else { return nil }
          return (sessions[position].id, new)
        })
    }
    try installations.save()
  }
}
