import Core
import Statistics
import Storage

/// The changes of session and user rows in a batch.
struct SessionRowChanges {
  private var sessions: [CountKey: Change] = [:]
  /// The changes of outcomes in cells, before `spread`.
  private var outcomes: [CellBin: Change] = [:]
  /// The changes of user-days whose sessions are all in one cell, before `spread`.
  private var clusters: [CellBin: Change] = [:]
  private var users: [RowKey: Users] = [:]
  private var departures: [RowKey: UserTally] = [:]
  /// The same changes of users one by one, because a set of many users is a sketch without individual users.
  private(set) var memberships: [Membership] = []
  private let listsMemberships: Bool
  /// The changes of sessions by the age of the update.
  var ages = SessionAgeChanges()
  var days = ChangedDays()

  /// A user who joins a row's set (1) or leaves it (−1).
  struct Membership {
    let row: RowKey
    let user: UInt64
    let set: Fact.UserSetName
    let change: Int64
  }

  /// The number of days for which sessions are remembered.
  private let memory: Int

  init(memory: Int = Retention().sessions, listsMemberships: Bool = false) {
    self.memory = memory
    self.listsMemberships = listsMemberships
  }

  private struct CountKey: Hashable {
    let row: RowKey
    let isCell: Bool

    init(_ slice: Int64, _ bin: TimeBin, _ source: UInt8, isCell: Bool) {
      row = RowKey(slice: slice, metric: Int64(Catalogue.sessions), bin: bin, source: source)
      self.isCell = isCell
    }
  }

  private struct CellBin: Hashable {
    let cell: Int64
    let bin: TimeBin
    let source: UInt8
  }

  private struct Change {
    var tally = SessionTally()
    /// The day of the newest receipt.
    var received = 0

    mutating func merge(_ other: Change) {
      tally.merge(other.tally)
      received = max(received, other.received)
    }

    /// Adds a session's outcome, or removes it (`sign` −1).
    mutating func add(_ outcome: SessionOutcome, sign: Int64, received day: Int) {
      tally[outcome] += sign
      received = max(received, day)
    }

    /// Adds a user-day, or removes it (`sign` −1).
    mutating func add(_ count: UserDaySessions.Count, isKnownUser: Bool, source: UInt8, sign: Int64, received day: Int)
    {
      let all = Int64(count.all)
      tally.userDays.add(x: Int64(count.crashed), y: all, sign: sign)
      // Only Sentry's clients report which sessions had a hang.
      if source == Source.sentry.rawValue { tally.hangs.add(x: Int64(count.withHang), y: all, sign: sign) }
      if isKnownUser {
        tally.knownUserDays += sign
        tally.crashedUserDays += count.crashed > 0 ? sign : 0
      }
      received = max(received, day)
    }
  }

  /// The users who join a row, and the day of the newest receipt.
  private struct Users {
    var joining = UserTally()
    var received = 0

    mutating func note(_ user: UInt64, joins: Bool, crashes: Bool, received day: Int) {
      if joins { joining.all.insert(user) }
      if crashes { joining.crashed.insert(user) }
      received = max(received, day)
    }
  }

  /// Adds a session's outcome to its cell, or removes it (`sign` −1).
  mutating func add(outcomeOf state: SessionState, sign: Int64) {
    let key = CellBin(cell: state.cell, bin: state.bin, source: state.source)
    outcomes[key, default: Change()].add(state.outcome, sign: sign, received: state.received)
  }

  /// Adds the changes of cells to the cells' rows and their rollups. `slices` returns the slices of a cell, the cell
  /// first. The data of a cell is spread once, because a batch has thousands of sessions of one cell.
  mutating func spread(_ slices: (Int64) throws -> CellSlices) rethrows {
    for (cell, change) in outcomes { add(change, of: cell, to: try slices(cell.cell).rows) }
    for (cell, change) in clusters { add(change, of: cell, to: try slices(cell.cell).clusters) }
    (outcomes, clusters) = ([:], [:])
  }

  private mutating func add(_ change: Change, of cell: CellBin, to slices: [Int64]) {
    for (index, slice) in slices.enumerated() {
      sessions[CountKey(slice, cell.bin, cell.source, isCell: index == 0), default: Change()].merge(change)
    }
  }

  /// Adds a user to the day's rows with a session of the user, and removes the user from the rows without one.
  mutating func move(user: UInt64, from old: UserRows, to new: UserRows, received today: Int) {
    // For an older day, another session of the user may already have been deleted, so the user stays.
    let leaves = old.day.map { today - $0.number < memory } ?? false
    for row in new.all {
      let (joins, crashes) = (!old.all.contains(row), new.crashed.contains(row) && !old.crashed.contains(row))
      users[row, default: Users()].note(user, joins: joins, crashes: crashes, received: today)
    }
    if listsMemberships {
      note(user, from: old.all, to: new.all, .all, removes: leaves)
      note(user, from: old.crashed, to: new.crashed, .crashed, removes: leaves)
    }
    guard leaves else { return }
    for row in old.all where !new.all.contains(row) { departures[row, default: UserTally()].all.insert(user) }
    for row in old.crashed where !new.crashed.contains(row) {
      departures[row, default: UserTally()].crashed.insert(user)
    }
  }

  private mutating func note(
    _ user: UInt64, from old: Set<RowKey>, to new: Set<RowKey>, _ set: Fact.UserSetName, removes: Bool
  ) {
    for row in new where !old.contains(row) {
      memberships.append(Membership(row: row, user: user, set: set, change: 1))
    }
    guard removes else { return }
    for row in old where !new.contains(row) {
      memberships.append(Membership(row: row, user: user, set: set, change: -1))
    }
  }

  /// Adds the sessions of one user on one day, or one session without a user, as a cluster: k crashed of n in every
  /// slice with some of them. With `sign` −1 it removes them. A slice with a negative id was deleted and shares the row
  /// of another slice; see `CellSlices.clusters`.
  mutating func add(
    _ cluster: UserDaySessions, isKnownUser: Bool, _ day: CalendarDay, sign: Int64, received: Int,
    slices: (Int64) throws -> CellSlices
  ) throws {
    let bin = TimeBin(day)
    if cluster.counts.count == 1, let (home, count) = cluster.counts.first {
      clusters[CellBin(cell: home.cell, bin: bin, source: home.source), default: Change()].add(
        count, isKnownUser: isKnownUser, source: home.source, sign: sign, received: received)
      return
    }
    var parts: [CountKey: UserDaySessions.Count] = [:]
    for (home, count) in cluster.counts {
      for (index, slice) in try slices(home.cell).clusters.enumerated() {
        parts[CountKey(slice, bin, home.source, isCell: index == 0), default: UserDaySessions.Count()].add(count)
      }
    }
    for (key, part) in parts {
      sessions[key, default: Change()].add(
        part, isKnownUser: isKnownUser, source: key.row.source, sign: sign, received: received)
    }
  }

  /// Moves the changes to the tables. `rows` maps each negative slice to the slice whose row it shares.
  func drain(intoCells cells: inout RowBatch, rollups: inout RowBatch, rows: [Int64: Int64]) {
    for (key, change) in sessions where !change.tally.isEmpty {
      if key.isCell {
        cells.add(.sessions(change.tally), to: key.row, received: change.received)
      } else {
        var row = key.row
        if row.slice < 0 { row.slice = rows[row.slice] ?? row.slice }
        rollups.add(.sessions(change.tally), to: row, received: change.received)
      }
    }
    for (row, changed) in users { rollups.add(.users(changed.joining), to: row, received: changed.received) }
    for (row, tally) in departures { rollups.remove(tally, from: row) }
  }
}
