public import Core
import Foundation
import GRDB
import Ingest
public import Storage
import Synchronization

/// The store of everything derived from records, in `plumb.db`.
public final class SQLiteStore: Store, ArrivalHistory {
  /// A read-only connection. Changes go through `write` and `writeRows`, which alone use the writing connection.
  let pool: any DatabaseReader
  private let writer: DatabasePool
  private let registry: Mutex<NameRegistry>
  let path: String
  let samples: SQLiteSampleStore?
  let limits: StoreLimits
  /// The rows of a ledger; nil for a store with its own rows.
  let facts: (any FactTable)?
  /// The rows that pages have read; a ledger's are read again.
  let (keptRows, keptUsage, keptCorrelations) = (
    KeptRows<MetricRow>(most: 16 << 20, ofQuery: 3 << 20),
    KeptRows<UsageRow>(most: 2 << 20, ofQuery: 1 << 20, rows: 20_000),
    KeptRows<DailyCorrelation>(most: 2 << 20, ofQuery: 512 << 10)
  )
  let keptMembers = KeptMembers()
  /// The slices whose kept rows must be read again.
  let changedSlices = ChangedSlices()
  /// What pages of a ledger are expected to ask for.
  let expected = ExpectedRows()
  /// Whether a ledger still has rows from when it was a store.
  let moving = Mutex(false)
  let quarantineState = Mutex(QuarantineState())
  /// Held while damaged rows are searched and quarantined.
  let repairs = Mutex(())
  private let observers = Mutex<[@Sendable (StoreNews) -> Void]>([])
  private let strangers = Mutex<[@Sendable () -> Void]>([])

  /// Opens the store. With `migrating`, an older schema is migrated; otherwise it is refused. `samples`: the store of
  /// diagnostic bodies. With `facts` it is a ledger: row changes go to its outbox instead of its tables, and rows are
  /// read from `facts`. A ledger is never opened as a store, and a store with rows never as a ledger.
  public init(
    path: String, samples: SQLiteSampleStore? = nil, migrating: Bool = true, limits: StoreLimits = StoreLimits(),
    facts: (any FactTable)? = nil
  ) throws {
    self.samples = samples
    self.limits = limits
    self.facts = facts
    let steps = facts == nil ? MigrationFiles.plumb : MigrationFiles.plumb + MigrationFiles.ledger
    self.path = path
    writer = try Connections.pool(path, .normal)
    pool = writer
    if facts != nil { try Self.checkLedger(writer) }
    if migrating {
      try Migrator.migrate(writer, steps: steps)
      if facts == nil { try writer.write { try RowTables($0).fillDaySums() } }
    } else if case .behind(let missing) = try Migrator.state(of: pool, steps: steps) {
      throw SchemaError.behind(missing)
    }
    registry = Mutex(NameRegistry(limits))
    if facts != nil, try writer.read({ try RowTables($0).hasRows() }) { moving.withLock { $0 = true } }
  }

  public func position(of node: NodeID) throws -> DigestPosition {
    try read { try DigestPositionTable($0).position(of: node) }
  }

  /// The time at which the last payload of each app was received.
  public func lastReceived() throws -> [AppID: Timestamp] {
    try read { db in
      try Row.fetchAll(db, sql: "SELECT app, last_received FROM app_state").reduce(into: [:]) { found, row in
        found[try row.value(0)] = Timestamp(milliseconds: try row.value(1))
      }
    }
  }

  /// The newest quarantined records, newest first, and the number of all.
  public func quarantine(limit: Int = 20) throws -> (records: [QuarantinedRecord], count: Int) {
    try read { try QuarantineTable($0).newest(limit) }
  }

  public func apply(_ batch: DigestedBatch) throws {
    if facts != nil { try checkOutbox() }
    // Written first, because it may be repeated: there is no transaction over two files.
    let signatures = DiagnosticSignature.signatures(of: batch.diagnostics)
    if let samples, !signatures.isEmpty {
      // Numbers do not depend on samples.
      try samples.unlessDamaged(or: ()) { samples in
        try samples.keep(batch.diagnostics, signatures: signatures.map(\.hash))
        if try samples.isFull() { try boundSamples() }
      }
    }
    let (grown, change) = try retryingAfterQuarantine {
      do {
        // The registry tracks all changes of names and slices by a batch.
        return try write(keeping: .everything, notingDays: true) { database, registry in
          let before = try UsedPages.bytes(in: database)
          var writer = try BatchWriter(database, signatures: signatures, facts: facts)
          try writer.apply(batch, using: &registry)
          return (try max(0, UsedPages.bytes(in: database) - before), writer.change)
        }
      } catch {
        throw StoreError.cause(error)
      }
    }
    if let change { changedSlices.note(change) }
    let apps = Set(
      batch.cells.map(\.key.app) + batch.sessions.map(\.key.app) + batch.accumulations.map(\.key.app)
        + batch.diagnostics.map(\.key.app) + batch.tallies.map(\.app)
    ).union(batch.parts?.apps ?? [])
    let news = StoreNews(apps: apps, through: batch.through, growth: StoreGrowth.of(batch.shares, grown: grown))
    for observer in observers.withLock({ $0 }) { observer(news) }
  }

  public func combinations(of app: AppID, environment: String, release: String?) throws -> Int {
    try read { try MetricRowQueries($0).combinations(of: app, environment: environment, release: release) }
  }

  public func inventory(of app: AppID) throws -> AppInventory {
    var inventory = try read { try MetricRowQueries($0).inventory(of: app) }
    if let facts {
      inventory.releases = try ledgerReleases(of: app, facts)
      inventory.environments = Dictionary(
        inventory.releases.map { ($0.environment, $0.lastDay) }, uniquingKeysWith: { max($0, $1) })
    }
    return inventory
  }

  public func tallies(of app: AppID, in window: Window) throws -> [IntakeTally] {
    try read { try IntakeTallyQueries($0).tallies(of: app, in: window) }
  }

  public func tallySummary(of app: AppID, in window: Window) throws -> TallySummary {
    try read { try IntakeTallyQueries($0).summary(of: app, in: window) }
  }

  public func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic] {
    var found = try read { try DiagnosticQueries($0).diagnostics(query) }
    let kept =
      try samples?.unlessDamaged(or: []) { samples in
        try samples.kept(of: query.app, identities: found.map(\.identity))
      } ?? []
    for index in found.indices { found[index].isKept = kept.contains(found[index].identity) }
    return found
  }

  public func sample(of app: AppID, identity: UInt64) throws -> StoredSample? {
    try samples?.unlessDamaged(or: nil) { try $0.sample(of: app, identity: identity) }
  }

  public func arrivals(_ query: ArrivalQuery) throws -> [Arrival] {
    try read { try ArrivalQueries($0).arrivals(query) }
  }

  public func compact(now: Timestamp) throws {
    try Compactor(self, now: now).run()
  }

  /// Closes the database, which then needs no other file. The store must not be used afterwards.
  public func close() throws {
    try writer.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try writer.close()
  }

  /// Records a fact about the whole folder, such as a lost journal, which `plumb check` reports for a day.
  public func note(_ reason: String, about place: String) throws {
    try writeRows { database in
      var note = QuarantinedRecord(
        sequence: 0, app: nil, received: Timestamp(milliseconds: 0), reason: reason, record: [])
      (note.count, note.place) = (0, place)
      try QuarantineTable(database).add(note)
    }
  }

  /// Registers an observer that is called after every applied batch, on the digest's thread.
  public func observe(_ observer: @escaping @Sendable (StoreNews) -> Void) {
    observers.withLock { $0.append(observer) }
  }
}

extension SQLiteStore {
  /// The parts of the name registry that are kept after a successful transaction.
  enum Kept {
    /// Nothing: ids may have been deleted, and SQLite reuses the id of a deleted row.
    case nothing
    /// The use counts of names, but no ids.
    case uses
    /// Everything. The transaction must not delete a name or slice without updating the registry.
    case everything
  }

  /// Runs a transaction that may use or change ids of names and slices. It is the only access to the registry, which it
  /// keeps consistent. The registry is cleared after a failed transaction, whose ids were never stored; after a
  /// successful one, except for what is `kept`; and before a transaction if another connection, usually of another
  /// process, has changed the file in the meantime.
  ///
  /// `notingDays`: whether `body` notes the days whose rows it changes. Otherwise rows of any day may have changed.
  ///
  /// Locks are taken in this order: names, then SQLite's write lock. `preparing` runs under the first lock only; it may
  /// call `writeRows`. Neither it nor `body` may call this function.
  func write<Value: Sendable>(
    keeping kept: Kept = .nothing, notingDays: Bool = false, preparing: () throws -> Void = {},
    _ body: (Database, inout NameRegistry) throws -> Value
  ) throws -> Value {
    var hasChangesOfOthers = false
    let outcome: Result<Value, any Error> = registry.withLock { registry in
      do {
        try preparing()
        let value = try writer.write { database in
          hasChangesOfOthers = try registry.forgetIfChanged(database)
          return notingDays
            ? try body(database, &registry) : try notingAllDays(database) { try body(database, &registry) }
        }
        switch kept {
        case .nothing: registry.forget()
        case .uses: registry.forgetIDs()
        case .everything: break
        }
        return .success(value)
      } catch {
        registry.forget()
        return .failure(error)
      }
    }
    if hasChangesOfOthers { for observer in strangers.withLock({ $0 }) { observer() } }
    return try naming { try outcome.get() }
  }

  /// Runs a transaction that neither uses nor changes ids of names and slices. It takes no lock on names, so that
  /// waiting blocks can be sent to the ClickHouse servers while a deletion holds that lock.
  func writeRows<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try naming { try writer.write { database in try notingAllDays(database) { try body(database) } } }
  }

  /// Notes that rows of any day may have changed, if `body` changes anything.
  private func notingAllDays<Value>(_ database: Database, _ body: () throws -> Value) throws -> Value {
    let changes = database.totalChangesCount
    let value = try body()
    if facts == nil, database.totalChangesCount != changes { try RowVersions(database).changeAllDays() }
    return value
  }

  /// The writing connection, for operations on the file rather than on rows.
  var file: any DatabaseWriter { writer }

  /// Registers an observer that is called when a change of the store by another process or connection is detected:
  /// before the next transaction, or by `noticeOthers`.
  public func observeOthers(_ observer: @escaping @Sendable () -> Void) { strangers.withLock { $0.append(observer) } }

  /// Detects whether another process has changed the store since its last transaction.
  public func noticeOthers() throws { try write(keeping: .everything) { _, _ in } }

  /// Adds the file name to the error for a damaged file.
  private func naming<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as DatabaseError where DatabaseFileError.isDamage(error) {
      throw DatabaseFileError(path: path, cause: error)
    }
  }
}

/// The apps and the position of an applied batch.
public struct StoreNews: Sendable {
  public let apps: Set<AppID>
  public let through: Int64
  /// The growth of the store by the batch, for each app with records in it.
  public let growth: [AppID: StoreGrowth]
}

/// The growth of the store by an app's records of a batch.
public struct StoreGrowth: Sendable, Equatable {
  /// The records' encoded size, in bytes.
  public var records: Int
  /// The app's part of the growth of `plumb.db` in bytes, with indexes and rollups. The growth is divided in proportion
  /// to the estimated load of each app's records.
  public var bytes: Int

  static func of(_ shares: [AppID: BatchShare], grown: Int) -> [AppID: StoreGrowth] {
    let all = shares.values.reduce(0) { $0 + max(0, $1.load) }
    return shares.mapValues { share in
      let part = all > 0 ? max(0, share.load) / all : 1 / Double(shares.count)
      return StoreGrowth(records: share.bytes, bytes: Int(Double(grown) * part))
    }
  }
}

extension SQLiteStore {
  /// Runs `body` so that all its reads on this thread see one state of the store. A batch applied in the meantime is
  /// visible in all of them or in none, so that the numbers of a page add up. A ledger calls `body` again if rows
  /// arrived in the meantime, unless `isRepeatable` is false because `body` does more than read.
  public func snapshot<Answer>(isRepeatable: Bool = true, _ body: () throws -> Answer) throws -> Answer {
    guard let facts else { return try remembering(body) }
    guard isRepeatable else { return try read { _ in try body() } }
    return try ConsistentReads.settled(facts) { try remembering(body) }
  }

  /// Reads the state of the enclosing snapshot or, without one, the newest state. Damaged rows are quarantined and
  /// `body` of the outermost read runs once more, unless repairs are handed over.
  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    if try pool.unsafeReentrantRead({ $0.isInsideTransaction }) { return try readOnce(body) }
    return try retryingReadAfterQuarantine { try naming { try readOnce(body) } }
  }

  func readOnce<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try pool.unsafeReentrantRead { database in
      guard !database.isInsideTransaction else { return try body(database) }
      try database.beginTransaction(.deferred)
      let answer = Result { try body(database) }
      try database.commit()
      return try answer.get()
    }
  }
}

extension SQLiteStore {
  /// The largest id of an app with rows in the store at `path`; 0 if there are none. It only reads, with any schema.
  public static func largestApp(in path: String) throws -> AppID {
    try Connections.naming(path) {
      let file = try Connections.readOnly(path)
      return try file.read { database in
        guard try database.tableExists("app_state") else { return 0 }
        return try AppID.fetchOne(database, sql: "SELECT max(app) FROM app_state") ?? 0
      }
    }
  }
}

extension StoreError {
  /// The error of a batch that could not be applied: a `StoreError` if the batch itself is the cause. Errors of the
  /// disk, the memory or another process are unchanged, because the same batch can be applied later.
  fileprivate static func cause(_ error: any Error) -> any Error {
    if error is StoreError || error is DatabaseFileError { return error }
    guard let error = error as? DatabaseError else { return damaged("\(error)") }
    switch error.resultCode {
    case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE:
      return damaged("\(error)")
    default: return error
    }
  }
}
