import Core
import GRDB
import Storage
import Synchronization

/// What a store remembers of its searches for damaged rows.
struct Mending {
  /// The number of searches that found something.
  var count = 0
  /// When a search last found nothing, although a row could not be read.
  var fruitless: ContinuousClock.Instant?
  /// Starts a repair for a read that met damage; nil where the read itself repairs.
  var start: (@Sendable () -> Void)?

  /// The time for which no search follows one that found nothing, so that a fault that it does not know costs one search.
  private static let pause = Duration.seconds(600)

  var isPaused: Bool { fruitless.map { $0.duration(to: .now) < Self.pause } ?? false }
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

  /// Runs a read. Where repairs are handed over, one that meets damage starts a repair and throws that numbers cannot be read
  /// now: no page waits for a search of the whole database, nor for the locks that setting rows aside takes.
  func mendingRead<Value>(_ body: () throws -> Value) throws -> Value {
    guard let start = mends.withLock({ $0.start }) else { return try mending(body) }
    do {
      return try body()
    } catch {
      // Of a fault that the last search did not know, the error is all there is to say.
      guard Self.isDamage(error), !mends.withLock({ $0.isPaused }) else { throw error }
      start()
      throw StoreError.unavailable("a damaged row was found, and damaged rows are being set aside")
    }
  }

  /// Whether an error means that a row cannot be read.
  public static func isDamage(_ error: any Error) -> Bool {
    if case StoreError.damaged? = error as? StoreError { return true }
    return error is RowDecodingError
  }

  /// Lets reads that meet damage call `start`, which must not block and has `repair` called on a thread that may wait.
  public func handOverRepairs(to start: @escaping @Sendable () -> Void) { mends.withLock { $0.start = start } }

  /// Sets damaged rows aside, unless the last search found none and is less than ten minutes ago.
  public func repair() throws { _ = try isMended(since: mends.withLock { $0.count }) }

  /// Sets damaged rows aside, unless another thread did so since `before`. False when there was none.
  private func isMended(since before: Int) throws -> Bool {
    try repairs.withLock { _ in
      let (count, isPaused) = mends.withLock { ($0.count, $0.isPaused) }
      if count != before { return true }
      if isPaused { return false }
      guard try searchDamage() > 0 else {
        mends.withLock { $0.fruitless = .now }
        return false
      }
      mends.withLock { $0.count += 1 }
      return true
    }
  }

  /// The most damaged rows of a table that one search sets aside. The next finds the others.
  private static let mostOfTable = 10_000

  /// Sets all damaged rows aside and returns their number. Each is counted for its app, and its bytes are kept.
  public func setAsideDamage() throws -> Int { try repairs.withLock { _ in try searchDamage() } }

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
      try TallyTable(database).add(tallies, &registry)
      return apps.count
    }
  }
}
