import Statistics
import Storage
import Telemetry

/// What rows of sessions and users gain and lose with a batch.
struct SessionCounts {
  private var sessions: [Place: SessionTally] = [:]
  private var users: [RowKey: UserTally] = [:]
  private var departures: [RowKey: UserTally] = [:]
  private var received: [Place: Int] = [:]
  private var receivedUsers: [RowKey: Int] = [:]

  private struct Place: Hashable {
    let row: RowKey
    let isCell: Bool
  }

  /// Counts a session's outcome at the cell and its marginals.
  mutating func book(outcomeOf state: SessionState, sign: Int64, at slices: [Int64]) {
    for (index, slice) in slices.enumerated() {
      let place = place(slice, state.bin, source: state.source, received: state.received, isCell: index == 0)
      sessions[place, default: SessionTally()][state.outcome] += sign
    }
  }

  /// Adds a user to the day's sets where there is a session now, and takes the user out where none is left.
  mutating func book(user: UInt64, from old: UserPlaces, to new: UserPlaces, received today: Int) {
    for row in new.all.subtracting(old.all) { users[row, default: UserTally()].all.insert(user) }
    for row in new.crashed.subtracting(old.crashed) { users[row, default: UserTally()].crashed.insert(user) }
    for row in new.all { receivedUsers[row] = max(receivedUsers[row] ?? 0, today) }
    // Of an older day, another session of the user may be forgotten already.
    guard let day = old.day, today - day.number < SessionLedger.memory else { return }
    for row in old.all.subtracting(new.all) { departures[row, default: UserTally()].all.insert(user) }
    for row in old.crashed.subtracting(new.crashed) { departures[row, default: UserTally()].crashed.insert(user) }
  }

  /// Books the sessions of one user on one day (or one session of nobody known) as a cluster: in every slice that holds
  /// some of them, k crashed of n. A slice below zero is part of another one's row.
  mutating func book(
    _ cluster: UserDaySessions, isKnownUser: Bool, _ day: CalendarDay, sign: Int64, received: Int,
    slices: (Int64) throws -> [Int64]
  ) throws {
    var parts: [Place: (crashed: Int64, count: Int64)] = [:]
    for (home, count) in cluster.counts {
      for (index, slice) in try slices(home.cell).enumerated() {
        let place = place(slice, TimeBin(day), source: home.source, received: received, isCell: index == 0)
        parts[place, default: (0, 0)].crashed += Int64(count.crashed)
        parts[place, default: (0, 0)].count += Int64(count.all)
      }
    }
    for (place, part) in parts {
      var tally = sessions[place] ?? SessionTally()
      if sign > 0 {
        tally.userDays.add(x: part.crashed, y: part.count)
      } else {
        tally.userDays.subtract(x: part.crashed, y: part.count)
      }
      tally.knownUserDays += isKnownUser ? sign : 0
      tally.crashedUserDays += isKnownUser && part.crashed > 0 ? sign : 0
      sessions[place] = tally
    }
  }

  /// Hands everything over to the rows. `rows` names the slice that a part of a row belongs to.
  func drain(intoCells cells: inout RowBatch, marginals: inout RowBatch, rows: [Int64: Int64]) {
    for (place, tally) in sessions where !tally.isEmpty {
      if place.isCell {
        cells.add(.sessions(tally), to: place.row, received: received[place] ?? 0)
      } else {
        var row = place.row
        if row.slice < 0 { row.slice = rows[row.slice] ?? row.slice }
        marginals.add(.sessions(tally), to: row, received: received[place] ?? 0)
      }
    }
    for (row, day) in receivedUsers { marginals.add(.users(users[row] ?? UserTally()), to: row, received: day) }
    for (row, tally) in departures { marginals.remove(tally, from: row) }
  }

  private mutating func place(
    _ slice: Int64, _ bin: TimeBin, source: UInt8, received day: Int, isCell: Bool
  ) -> Place {
    let row = RowKey(slice: slice, metric: Int64(Catalogue.sessions), bin: bin, source: source)
    let place = Place(row: row, isCell: isCell)
    received[place] = max(received[place] ?? 0, day)
    return place
  }
}
