import Core
import Foundation
import GRDB
public import Storage
import Synchronization

/// The store of diagnostic bodies and call stacks in `samples.db`, up to a size limit. Counts do not depend on it: a
/// diagnostic whose body is deleted is still counted.
public final class SQLiteSampleStore: Sendable {
  let database: DatabaseQueue
  /// The maximum number of samples per group and their maximum total size.
  public let limits: SampleLimits
  private let report: @Sendable (any Error) -> Void
  private let isReported = Mutex(false)
  private let path: String
  private let isPaused = Atomic(false)

  /// Opens or creates the database. An older schema is migrated. `report`: receives the first error of a damaged file;
  /// the store then works without the file.
  public init(
    path: String, limits: SampleLimits = SampleLimits(), report: @escaping @Sendable (any Error) -> Void = { _ in }
  ) throws {
    self.limits = limits
    self.report = report
    self.path = path
    database = try Connections.queue(path, .normal, cache: Connections.Cache.small)
    try Connections.naming(path) { try Migrator.migrate(database, steps: MigrationFiles.samples) }
  }

  /// Runs `body`. If the file is damaged, reports that once and returns `fallback`. Other errors are thrown.
  func unlessDamaged<Value>(
    or fallback: @autoclosure () -> Value, _ body: (SQLiteSampleStore) throws -> Value
  ) throws -> Value {
    do {
      return try body(self)
    } catch let error as DatabaseError where DatabaseFileError.isDamage(error) {
      if isReported.withLock({ isKnown in
        defer { isKnown = true }
        return !isKnown
      }) {
        report(DatabaseFileError(path: path, cause: error))
      }
      return fallback()
    }
  }

  /// Stops or resumes storing bodies, for a full disk.
  public func pause(_ isPaused: Bool) { self.isPaused.store(isPaused, ordering: .relaxed) }

  /// Stores diagnostics, each once: of a signature with fewer samples than it may have, the newest and the first, which
  /// may be its oldest; of others, only the newest. During a flood of one crash, each batch would otherwise replace all
  /// samples. It may be repeated after a partial failure. `signatures`: their signature hashes in the same order.
  func keep(_ diagnostics: [DiagnosticRecord], signatures: [UInt64]) throws {
    guard !isPaused.load(ordering: .relaxed) else { return }
    let names = zip(diagnostics, signatures).map { SignatureName(app: $0.key.app, hash: $1) }
    let positions = Dictionary(grouping: names.indices) { names[$0] }
    try database.write { database in
      let chosen = try positions.flatMap { name, positions -> [Int] in
        let isFull = try count(name, in: database) >= limits.all
        let newest = positions.suffix(isFull ? 1 : limits.all)
        return Array(isFull ? [] : positions.dropLast(newest.count).prefix(1)) + newest
      }
      // In their order, which tells the newer of two that were received in the same millisecond.
      for position in chosen.sorted() { try insert(diagnostics[position], names[position], in: database) }
      for name in positions.keys { try thin(name, in: database) }
      try StackTable(database).keep(diagnostics)
    }
  }

  private struct SignatureName: Hashable {
    let app: AppID
    let hash: UInt64
  }

  /// The number of samples of a signature.
  private func count(_ name: SignatureName, in database: Database) throws -> Int {
    let count = try database.cachedStatement(
      sql: "SELECT count(*) FROM sample INDEXED BY sample_signature WHERE app = ? AND signature = ?")
    return try Int.fetchOne(count, arguments: [name.app, Int64(bitPattern: name.hash)]) ?? 0
  }

  private func insert(_ record: DiagnosticRecord, _ name: SignatureName, in database: Database) throws {
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO sample (app, identity, kind, received, size, stored, calls, body, signature)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET received = max(received, excluded.received)
        """)
    let (calls, body) = (record.calls.frame(), record.body.frame())
    try insert.execute(arguments: [
      name.app, Int64(bitPattern: record.identity), Int(record.kind.rawValue), record.received.milliseconds,
      record.bodySize, calls.count + body.count, Data(calls), Data(body), Int64(bitPattern: name.hash),
    ])
  }

  /// Deletes all samples of a signature but the newest and the oldest.
  private func thin(_ name: SignatureName, in database: Database) throws {
    let drop = try database.cachedStatement(
      sql: """
        DELETE FROM sample WHERE rowid IN (SELECT rowid FROM sample INDEXED BY sample_signature
          WHERE app = ?1 AND signature = ?2 ORDER BY received DESC, rowid DESC LIMIT -1 OFFSET ?3)
        AND rowid <> (SELECT rowid FROM sample INDEXED BY sample_signature
          WHERE app = ?1 AND signature = ?2 ORDER BY received, rowid LIMIT 1)
        """)
    try drop.execute(arguments: [name.app, Int64(bitPattern: name.hash), limits.all])
  }

  /// The compressed JSON and call tree of a diagnostic; nil if they are no longer stored.
  func sample(of app: AppID, identity: UInt64) throws -> StoredSample? {
    try database.read { database in
      try Row.fetchOne(
        database, sql: "SELECT calls, body, size FROM sample WHERE app = ? AND identity = ?",
        arguments: [app, Int64(bitPattern: identity)]
      ).map { row in
        StoredSample(
          calls: [UInt8](try row.value(0, as: Data.self)), body: [UInt8](try row.value(1, as: Data.self)),
          size: try row.value(2))
      }
    }
  }

  /// Whether the samples exceed their size limit.
  func isFull() throws -> Bool { try database.read { try Self.bytes(in: $0) } > limits.bytes }

  /// Deletes samples beyond the size limit until an eighth of it is free. All apps have an equal share, and the oldest
  /// samples of apps beyond it are deleted, so that no app displaces another app's samples.
  func makeRoom() throws {
    let (used, apps) = try database.read { (try Self.bytes(in: $0), try Self.bytesByApp(in: $0)) }
    guard used > limits.bytes else { return }
    let share = Self.share(of: apps.map(\.bytes), excess: used - limits.bytes / 8 * 7)
    for (app, bytes) in apps where bytes > share {
      var excess = bytes - share
      while excess > 0 {
        let freed = try database.write { try Self.dropOldest(of: app, excess, in: $0) }
        if freed == 0 { break }
        excess -= freed
      }
    }
  }

  /// The largest size that each app may keep so that `excess` bytes are deleted.
  static func share(of apps: [Int], excess: Int) -> Int {
    var left = excess
    let sizes = apps.sorted(by: >)
    for (index, size) in sizes.enumerated() {
      let next = index + 1 < sizes.count ? sizes[index + 1] : 0
      let step = (size - next) * (index + 1)
      if step >= left { return size - (left + index) / (index + 1) }
      left -= step
    }
    return 0
  }

  private static func bytesByApp(in database: Database) throws -> [(app: AppID, bytes: Int)] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT app, total(max(stored, 0)) FROM (SELECT app, stored FROM sample UNION ALL SELECT app, stored FROM stack)
        GROUP BY app
        """
    ).map { (try $0.value(0), $0.count(1)) }
  }

  /// Deletes some of an app's oldest samples in one short transaction. Returns the number of freed bytes.
  private static func dropOldest(of app: AppID, _ excess: Int, in database: Database) throws -> Int {
    let rows = try tables.flatMap { table in
      try Row.fetchAll(
        database, sql: "SELECT rowid, stored, received FROM \(table) WHERE app = ? ORDER BY received LIMIT ?",
        arguments: [app, portion]
      ).map { (table: table, row: try $0.value(0, as: Int64.self), bytes: $0.count(1), received: $0.count(2)) }
    }.sorted { ($0.received, $0.table, $0.row) < ($1.received, $1.table, $1.row) }
    var freed = 0
    for row in rows where freed < excess {
      try database.cachedStatement(sql: "DELETE FROM \(row.table) WHERE rowid = ?").execute(arguments: [row.row])
      freed += max(1, row.bytes)
    }
    return freed
  }

  /// The tables with an app, an identity and a time of receipt.
  static let tables = ["sample", "stack"]

  private static let portion = 500

  /// The size of the file without its free pages, which are reused before the file grows.
  private static func bytes(in database: Database) throws -> Int {
    func number(_ pragma: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0 }
    return try (number("page_count") - number("freelist_count")) * number("page_size")
  }
}

extension SQLiteSampleStore {
  /// Sets the signatures of samples that were stored without one.
  func sign(_ signatures: [(app: AppID, identity: UInt64, hash: UInt64)]) throws {
    try database.write { database in
      let update = try database.cachedStatement(
        sql: "UPDATE sample SET signature = ? WHERE app = ? AND identity = ? AND signature IS NULL")
      for (app, identity, hash) in signatures {
        try update.execute(arguments: [Int64(bitPattern: hash), app, Int64(bitPattern: identity)])
      }
    }
  }

  /// The members of `identities` with stored samples.
  func kept(of app: AppID, identities: [UInt64]) throws -> Set<UInt64> {
    try database.read { database in
      let find = try database.cachedStatement(sql: "SELECT 1 FROM sample WHERE app = ? AND identity = ?")
      return try Set(
        identities.filter { try Int.fetchOne(find, arguments: [app, Int64(bitPattern: $0)]) != nil })
    }
  }

  /// The number of samples of each signature.
  func counts() throws -> [(app: AppID, signature: Int64, count: Int)] {
    try database.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT app, signature, count(*) FROM sample WHERE signature IS NOT NULL GROUP BY app, signature"
      ).map { (try $0.value(0), try $0.value(1), try $0.value(2)) }
    }
  }

  /// The newest samples of these signatures, the newest first; at most `limit` of each.
  func newest(
    of app: AppID, signatures: Set<Int64>, limit: Int
  ) throws -> [(identity: UInt64, signature: Int64)] {
    try database.read { database in
      let find = try database.cachedStatement(
        sql: """
          SELECT identity, received, rowid FROM sample INDEXED BY sample_signature
          WHERE app = ? AND signature = ? ORDER BY received DESC, rowid DESC LIMIT ?
          """)
      let found = try signatures.flatMap { signature in
        try Row.fetchAll(find, arguments: [app, signature, limit]).map {
          (
            identity: UInt64(bitPattern: try $0.value(0, as: Int64.self)), signature: signature,
            order: (try $0.value(1, as: Int64.self), try $0.value(2, as: Int64.self))
          )
        }
      }
      return found.sorted { $0.order > $1.order }.map { ($0.identity, $0.signature) }
    }
  }

  /// The identity of the oldest sample with one of these signatures.
  func oldest(of app: AppID, signatures: [Int64]) throws -> UInt64? {
    try database.read { database in
      let find = try database.cachedStatement(
        sql: """
          SELECT identity, received, rowid FROM sample INDEXED BY sample_signature
          WHERE app = ? AND signature = ? ORDER BY received, rowid LIMIT 1
          """)
      let found = try signatures.compactMap { signature in
        try Row.fetchOne(find, arguments: [app, signature]).map {
          (
            identity: UInt64(bitPattern: try $0.value(0, as: Int64.self)),
            order: (try $0.value(1, as: Int64.self), try $0.value(2, as: Int64.self))
          )
        }
      }
      return found.min { $0.order < $1.order }?.identity
    }
  }

  /// Deletes a group's samples except the newest, the newest of its most frequent signature, and the oldest.
  func thin(app: AppID, signatures: [Int64], mostFrequent: Int64) throws {
    try database.write { database in
      var rows: [(row: Int64, signature: Int64, received: Int64)] = []
      for signature in signatures {
        rows += try Row.fetchAll(
          database, sql: "SELECT rowid, signature, received FROM sample WHERE app = ? AND signature = ?",
          arguments: [app, signature]
        ).map { (try $0.value(0), try $0.value(1), try $0.value(2)) }
      }
      rows.sort { ($0.received, $0.row) > ($1.received, $1.row) }
      let typical = rows.dropFirst(limits.newest).filter { $0.signature == mostFrequent }.prefix(limits.typical)
      let kept = Set((rows.prefix(limits.newest) + typical + rows.suffix(1)).map(\.row))
      let drop = try database.cachedStatement(sql: "DELETE FROM sample WHERE rowid = ?")
      for row in rows where !kept.contains(row.row) { try drop.execute(arguments: [row.row]) }
    }
  }
}
