import Core
import Statistics
import Storage

/// The changes of session and user rows in a batch.
struct SessionRowChanges {
  private var sessions: [CountKey: SessionTally] = [:]
  /// The changes of outcomes in cells, before `spreadOutcomes`.
  private var outcomes: [CellBin: Outcomes] = [:]
  private var users: [RowKey: UserTally] = [:]
  private var departures: [RowKey: UserTally] = [:]
  private var received: [CountKey: Int] = [:]
  private var receivedUsers: [RowKey: Int] = [:]
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
  }

  private struct CellBin: Hashable {
    let cell: Int64
    let bin: TimeBin
    let source: UInt8
  }

  private struct Outcomes {
    var tally = SessionTally()
    var received = 0
  }

  /// Adds a session's outcome to its cell, or removes it (`sign` −1).
  mutating func add(outcomeOf state: SessionState, sign: Int64) {
    let key = CellBin(cell: state.cell, bin: state.bin, source: state.source)
    outcomes[key, default: Outcomes()].tally[state.outcome] += sign
    outcomes[key, default: Outcomes()].received = max(outcomes[key]?.received ?? 0, state.received)
  }

  /// Adds the changes of outcomes to the cells and their rollups. `slices` returns the slices of a cell, the cell
  /// first.
  mutating func spreadOutcomes(_ slices: (Int64) throws -> [Int64]) rethrows {
    for (cell, change) in outcomes {
      for (index, slice) in try slices(cell.cell).enumerated() {
        let key = key(slice, cell.bin, source: cell.source, received: change.received, isCell: index == 0)
        sessions[key, default: SessionTally()].merge(change.tally)
      }
    }
    outcomes = [:]
  }

  /// Adds a user to the day's rows with a session of the user, and removes the user from the rows without one.
  mutating func move(user: UInt64, from old: UserRows, to new: UserRows, received today: Int) {
    // For an older day, another session of the user may already have been deleted, so the user stays.
    let leaves = old.day.map { today - $0.number < memory } ?? false
    for row in new.all.subtracting(old.all) { users[row, default: UserTally()].all.insert(user) }
    for row in new.crashed.subtracting(old.crashed) { users[row, default: UserTally()].crashed.insert(user) }
    for row in new.all { receivedUsers[row] = max(receivedUsers[row] ?? 0, today) }
    if listsMemberships {
      note(user, from: old.all, to: new.all, .all, removes: leaves)
      note(user, from: old.crashed, to: new.crashed, .crashed, removes: leaves)
    }
    guard leaves else { return }
    for row in old.all.subtracting(new.all) { departures[row, default: UserTally()].all.insert(user) }
    for row in old.crashed.subtracting(new.crashed) { departures[row, default: UserTally()].crashed.insert(user) }
  }

  private mutating func note(
    _ user: UInt64, from old: Set<RowKey>, to new: Set<RowKey>, _ set: Fact.UserSetName, removes: Bool
  ) {
    for row in new.subtracting(old) { memberships.append(Membership(row: row, user: user, set: set, change: 1)) }
    guard removes else { return }
    for row in old.subtracting(new) { memberships.append(Membership(row: row, user: user, set: set, change: -1)) }
  }

  /// Adds the sessions of one user on one day, or one session without a user, as a cluster: k crashed of n in every
  /// slice with some of them. With `sign` −1 it removes them. A slice with a negative id was deleted and shares the row
  /// of another slice; see `CellSlices.clusters`.
  mutating func add(
    _ cluster: UserDaySessions, isKnownUser: Bool, _ day: CalendarDay, sign: Int64, received: Int,
    slices: (Int64) throws -> [Int64]
  ) throws {
    var parts: [CountKey: (crashed: Int64, withHang: Int64, count: Int64)] = [:]
    for (home, count) in cluster.counts {
      for (index, slice) in try slices(home.cell).enumerated() {
        let key = key(slice, TimeBin(day), source: home.source, received: received, isCell: index == 0)
        parts[key, default: (0, 0, 0)].crashed += Int64(count.crashed)
        parts[key, default: (0, 0, 0)].withHang += Int64(count.withHang)
        parts[key, default: (0, 0, 0)].count += Int64(count.all)
      }
    }
    for (key, part) in parts {
      var tally = sessions[key] ?? SessionTally()
      if sign > 0 {
        tally.userDays.add(x: part.crashed, y: part.count)
      } else {
        tally.userDays.subtract(x: part.crashed, y: part.count)
      }
      // Only Sentry's clients report which sessions had a hang.
      if key.row.source == Source.sentry.rawValue {
        if sign > 0 {
          tally.hangs.add(x: part.withHang, y: part.count)
        } else {
          tally.hangs.subtract(x: part.withHang, y: part.count)
        }
      }
      tally.knownUserDays += isKnownUser ? sign : 0
      tally.crashedUserDays += isKnownUser && part.crashed > 0 ? sign : 0
      sessions[key] = tally
    }
  }

  /// Moves the changes to the tables. `rows` maps each negative slice to the slice whose row it shares.
  func drain(intoCells cells: inout RowBatch, rollups: inout RowBatch, rows: [Int64: Int64]) {
    for (key, tally) in sessions where !tally.isEmpty {
      if key.isCell {
        cells.add(.sessions(tally), to: key.row, received: received[key] ?? 0)
      } else {
        var row = key.row
        if row.slice < 0 { row.slice = rows[row.slice] ?? row.slice }
        rollups.add(.sessions(tally), to: row, received: received[key] ?? 0)
      }
    }
    for (row, day) in receivedUsers { rollups.add(.users(users[row] ?? UserTally()), to: row, received: day) }
    for (row, tally) in departures { rollups.remove(tally, from: row) }
  }

  private mutating func key(
    _ slice: Int64, _ bin: TimeBin, source: UInt8, received day: Int, isCell: Bool
  ) -> CountKey {
    let row = RowKey(slice: slice, metric: Int64(Catalogue.sessions), bin: bin, source: source)
    let key = CountKey(row: row, isCell: isCell)
    received[key] = max(received[key] ?? 0, day)
    return key
  }
}
