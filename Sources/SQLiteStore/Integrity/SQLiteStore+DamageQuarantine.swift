import Core
import GRDB
import Storage
import Synchronization

/// The state of a store's searches for damaged rows.
struct QuarantineState {
  /// The number of searches that found damage.
  var count = 0
  /// The time of the last search that found nothing although a row could not be read.
  var lastWithoutFinding: ContinuousClock.Instant?
  /// Starts a repair after a read that found damage; nil if the read repairs by itself.
  var start: (@Sendable () -> Void)?

  /// The pause after a search that found nothing, so that an unknown kind of damage does not cause repeated searches.
  private static let pause = Duration.seconds(600)

  var isPaused: Bool { lastWithoutFinding.map { $0.duration(to: .now) < Self.pause } ?? false }
}

extension SQLiteStore {
  /// Runs `body`. If it fails because a row is damaged, all damaged rows are quarantined and `body` runs once more.
  func retryingAfterQuarantine<Value>(_ body: () throws -> Value) throws -> Value {
    let before = quarantineState.withLock { $0.count }
    do {
      return try body()
    } catch {
      guard Self.isDamage(error), try isQuarantined(since: before) else { throw error }
      return try body()
    }
  }

  /// Runs a read. If repairs are handed over, a read that finds damage starts a repair and throws that numbers cannot
  /// be read now. No page then waits for a search of the whole database, or for the locks of the quarantine.
  func retryingReadAfterQuarantine<Value>(_ body: () throws -> Value) throws -> Value {
    guard let start = quarantineState.withLock({ $0.start }) else { return try retryingAfterQuarantine(body) }
    do {
      return try body()
    } catch {
      // The last search did not find this damage, so the original error is all that can be reported.
      guard Self.isDamage(error), !quarantineState.withLock({ $0.isPaused }) else { throw error }
      start()
      throw StoreError.unavailable("a damaged row was found and is being quarantined; try again later")
    }
  }

  /// Whether an error means that a row cannot be read.
  public static func isDamage(_ error: any Error) -> Bool {
    if case StoreError.damaged? = error as? StoreError { return true }
    return error is RowDecodingError
  }

  /// Hands repairs over: a read that finds damage calls `start`. It must not block, and must call `repair` on a thread
  /// that may wait.
  public func handOverRepairs(to start: @escaping @Sendable () -> Void) {
    quarantineState.withLock { $0.start = start }
  }

  /// Quarantines damaged rows, unless the last search found none less than ten minutes ago.
  public func repair() throws { _ = try isQuarantined(since: quarantineState.withLock { $0.count }) }

  /// Quarantines damaged rows, unless another thread has done so since `before`. Returns false if there were none.
  private func isQuarantined(since before: Int) throws -> Bool {
    try repairs.withLock { _ in
      let (count, isPaused) = quarantineState.withLock { ($0.count, $0.isPaused) }
      if count != before { return true }
      if isPaused { return false }
      guard try searchDamage() > 0 else {
        quarantineState.withLock { $0.lastWithoutFinding = .now }
        return false
      }
      quarantineState.withLock { $0.count += 1 }
      return true
    }
  }

  /// The maximum number of damaged rows of a table that one search quarantines. The next search finds the others.
  private static let mostOfTable = 10_000

  /// Quarantines all damaged rows and returns their number. Each is counted for its app, and its bytes are saved.
  public func quarantineDamage() throws -> Int { try repairs.withLock { _ in try searchDamage() } }

  private func searchDamage() throws -> Int {
    var count = 0
    for table in CheckedTable.all {
      let found = try pool.read { try DamageScan($0).findings(in: table, limit: Self.mostOfTable) }
      for start in stride(from: 0, to: found.count, by: 500) {
        count += try setAside(found[start..<min(start + 500, found.count)], of: table)
      }
    }
    try write { database, _ in try DamageRepair(database).mendRelations() }
    return count
  }

  private func setAside(_ found: ArraySlice<DamageScan.Finding>, of table: CheckedTable) throws -> Int {
    try write { database, registry in
      let apps = try found.compactMap { try DamageScan(database).setAside($0, using: &registry) }
      let now = try Int64.fetchOne(database, sql: "SELECT unixepoch() * 1000") ?? 0
      let tallies = Dictionary(grouping: apps) { $0 }.map { app, rows in
        IntakeTally(
          app: app, day: Timestamp(milliseconds: now).day(), kind: .quarantined, reason: "damaged row",
          detail: table.name, count: rows.count)
      }
      try IntakeTallyTable(database).add(tallies, &registry)
      return apps.count
    }
  }
}
