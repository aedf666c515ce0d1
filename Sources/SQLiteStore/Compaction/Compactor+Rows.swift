import Core
import GRDB
import Storage

extension Compactor {
  /// Merges five-minute rows into hourly rows after three days, and hourly rows into daily rows after 35 days.
  func coarsen() throws {
    let (old, older) = ((today - 3) * 1440, (today - 35) * 1440)
    for (table, from, to, minute) in [
      (RowTables.Table.cells, TimeBin.Resolution.fiveMinutes, TimeBin.Resolution.hour, old),
      (.cells, .hour, .day, older), (.rollups, .fiveMinutes, .hour, old),
    ] {
      try repeatPortions(keepingIDs: true) { database, registry in
        let taken = try RowTables(database).coarsen(table, from, to, before: minute, atMost: Self.portion)
        try noteDamage(taken.damaged, in: table.rawValue, database, &registry)
        return taken.count
      }
    }
    try coarsenDays(before: older)
    try portion(keepingIDs: true) { database, _ in try RowTables(database).deleteDaySums(before: older) }
    try unpack(before: CalendarDay(number: today - DayPackBatch.days))
  }

  /// Writes old day packs as rows. Those of cells will soon be deleted.
  private func unpack(before day: CalendarDay) throws {
    for slice in try store.pool.read({ try RowTables($0).packedRollups(before: day) }) {
      try repeatPortions(keepingIDs: true) { database, registry in
        let taken = try RowTables(database).unpack(slice, before: day, atMost: 50)
        try noteDamage(taken.damaged, in: RowTables.Table.rollups.rawValue, database, &registry)
        return taken.count
      }
    }
  }

  /// Merges rollup rows of a day into one row, for several days at once.
  private func coarsenDays(before minute: Int) throws {
    let days = try store.pool.read { try RowTables($0).hourlyDays(before: minute) }
    var next = 0
    while next < days.count {
      next = try portion(keepingIDs: true) { database, registry in
        var (index, done) = (next, 0)
        while index < days.count, done < Self.portion {
          let taken = try RowTables(database).coarsen(ofRollup: days[index].slice, day: days[index].day)
          try noteDamage(taken.damaged, in: RowTables.Table.rollups.rawValue, database, &registry)
          done += max(1, taken.count)
          index += 1
        }
        return index
      }
    }
  }

  // MARK: Retention

  /// Deletes expired rows slice by slice.
  func dropRows() throws {
    let days = (today - retention.fine, today - retention.daily)
    var last: Int64 = 0
    var isDone = false
    while !isDone {
      let end = try store.pool.read {
        try Int64.fetchOne(
          $0, sql: "SELECT max(id) FROM (SELECT id FROM slice WHERE id > ? ORDER BY id LIMIT ?)",
          arguments: [last, Self.slicesAtOnce])
      }
      let old = RowTables.Expired(after: last, through: end ?? .max, cells: days.0, rollups: days.1)
      if try store.pool.read({ try RowTables($0).has(old) }) {
        try portion(keepingIDs: true) { database, _ in try RowTables(database).delete(old) }
      }
      (last, isDone) = (end ?? last, end == nil)
    }
  }

  private static let slicesAtOnce = 50
}
