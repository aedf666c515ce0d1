import Core
import GRDB
import Storage

/// The first and last day of every build in an environment, and the newest day of the environment.
struct ReleaseLifetimes {
  private var seen: [Lifetime: ClosedRange<Int>] = [:]
  private var left: [Lifetime: Departure] = [:]

  private struct Lifetime: Hashable {
    let environment: Int64
    let release: Int64
  }

  private struct Departure {
    var days: Set<Int>
    /// The slice of the build, whose rows show which days remain.
    let slice: Int64
  }

  /// The day number stored for an environment that has no data: a day far before 1970.
  static let never = -1_000_000

  /// Records that the build has data on this day.
  mutating func note(_ key: SliceKey, _ day: CalendarDay) {
    let lifetime = Lifetime(environment: key.environment, release: key.release)
    let known = seen[lifetime] ?? day.number...day.number
    seen[lifetime] = min(known.lowerBound, day.number)...max(known.upperBound, day.number)
  }

  /// Records that a session of the build on this day moved to another build or day.
  mutating func leave(_ key: SliceKey, _ day: CalendarDay, slice: Int64) {
    left[Lifetime(environment: key.environment, release: key.release), default: Departure(days: [], slice: slice)].days
      .insert(day.number)
  }

  /// Writes the collected first and last days. Call it after the batch's rows were written.
  func write(to database: Database) throws {
    for (lifetime, days) in seen {
      try database.cachedStatement(
        sql: """
          INSERT INTO release_life VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
          SET first_day = min(first_day, excluded.first_day), last_day = max(last_day, excluded.last_day)
          """
      ).execute(arguments: [lifetime.environment, lifetime.release, days.lowerBound, days.upperBound])
      try database.cachedStatement(sql: "UPDATE environment SET newest_day = max(newest_day, ?) WHERE id = ?")
        .execute(arguments: [days.upperBound, lifetime.environment])
    }
    for (lifetime, departure) in left { try shorten(lifetime, departure, in: database) }
  }

  /// Shortens a lifetime that started or ended on a day from which sessions moved away. The days of the remaining rows
  /// determine its new length.
  private func shorten(_ lifetime: Lifetime, _ departure: Departure, in database: Database) throws {
    let known = try Row.fetchOne(
      database, sql: "SELECT first_day, last_day FROM release_life WHERE environment = ? AND release = ?",
      arguments: [lifetime.environment, lifetime.release])
    guard let known else { return }
    let (firstDay, lastDay): (Int, Int) = (try known.value(0), try known.value(1))
    guard departure.days.contains(firstDay) || departure.days.contains(lastDay) else { return }
    if let remaining = try RowTables(database).span(ofRollup: departure.slice) {
      try database.execute(
        sql: "UPDATE release_life SET first_day = ?, last_day = ? WHERE environment = ? AND release = ?",
        arguments: [
          departure.days.contains(firstDay) ? remaining.lowerBound : firstDay,
          departure.days.contains(lastDay) ? remaining.upperBound : lastDay, lifetime.environment, lifetime.release,
        ])
    } else {
      try database.execute(
        sql: "DELETE FROM release_life WHERE environment = ? AND release = ?",
        arguments: [lifetime.environment, lifetime.release])
    }
    try database.execute(
      sql: """
        UPDATE environment SET newest_day =
          (SELECT coalesce(max(last_day), ?) FROM release_life WHERE environment = environment.id)
        WHERE id = ?
        """, arguments: [Self.never, lifetime.environment])
  }
}
