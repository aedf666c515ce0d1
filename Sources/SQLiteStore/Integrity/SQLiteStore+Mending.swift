import GRDB
import Storage
import Synchronization
import Telemetry

/// What a store remembers of its searches for damaged rows.
struct Mending {
  /// The number of searches that found something.
  var count = 0
  /// When a search last found nothing, although a row could not be read.
  var fruitless: ContinuousClock.Instant?
}

extension SQLiteStore {
  /// Runs `body`. If it fails because a row is damaged, all damaged rows are set aside and `body` runs once more.
  func mending<Value>(_ body: () throws -> Value) throws -> Value {
    let before = mends.withLock { $0.count }
    do {
      return try body()
    } catch {
      guard Self.isDamage(error), try isMended(since: before) else { throw error }
      return try body()
    }
  }

  /// Whether an error means that a row cannot be read.
  public static func isDamage(_ error: any Error) -> Bool {
    if case StoreError.damaged? = error as? StoreError { return true }
    return error is RowDecodingError
  }

  /// The time for which no search follows one that found nothing, so that a fault that it does not know costs one search.
  private static let pause = Duration.seconds(600)

  /// Sets damaged rows aside, unless another thread did so since `before`. False when there was none.
  private func isMended(since before: Int) throws -> Bool {
    try mends.withLock { state in
      if state.count != before { return true }
      if let last = state.fruitless, last.duration(to: .now) < Self.pause { return false }
      guard try setAsideDamage() > 0 else {
        state.fruitless = .now
        return false
      }
      state.count += 1
      return true
    }
  }

  /// The most damaged rows of a table that one search sets aside. The next finds the others.
  private static let mostOfTable = 10_000

  /// Sets all damaged rows aside and returns their number. Each is counted for its app, and its bytes are kept.
  public func setAsideDamage() throws -> Int {
    var count = 0
    for table in CheckedTable.all {
      let found = try pool.read { try DamageScan($0).findings(in: table, limit: Self.mostOfTable) }
      for start in stride(from: 0, to: found.count, by: 500) {
        count += try setAside(found[start..<min(start + 500, found.count)], of: table)
      }
    }
    try registry.withLock { registry in
      defer { registry.forget() }
      try pool.write { try DamageRepair($0).mendRelations() }
    }
    return count
  }

  private func setAside(_ found: ArraySlice<DamageScan.Finding>, of table: CheckedTable) throws -> Int {
    try registry.withLock { registry in
      defer { registry.forget() }
      return try pool.write { database in
        let apps = try found.compactMap { try DamageScan(database).setAside($0, using: &registry) }
        let now = try Int64.fetchOne(database, sql: "SELECT unixepoch() * 1000") ?? 0
        let tallies = Dictionary(grouping: apps) { $0 }.map { app, rows in
          IntakeTally(
            app: app, day: Timestamp(milliseconds: now).day(), kind: .quarantined, reason: "damaged row",
            detail: table.name, count: rows.count)
        }
        try TallyTable(database).add(tallies, &registry)
        return apps.count
      }
    }
  }
}
