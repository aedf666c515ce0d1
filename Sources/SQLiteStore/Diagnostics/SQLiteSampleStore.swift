public import Core
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

  /// Stores diagnostics, each once and only the newest and the first of each signature. It may be repeated after a partial failure.
  /// `signatures`: their signature hashes in the same order.
  func keep(_ diagnostics: [DiagnosticRecord], signatures: [UInt64]) throws {
    guard !isPaused.load(ordering: .relaxed) else { return }
    let chosen = Self.newest(limits.all, of: Array(zip(diagnostics, signatures)))
    try database.write { database in
      let insert = try database.cachedStatement(
        sql: """
          INSERT INTO sample (app, identity, kind, received, size, stored, calls, body, signature)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET received = max(received, excluded.received)
          """)
      for (record, signature) in chosen {
        let (calls, body) = (record.calls.frame(), record.body.frame())
        try insert.execute(arguments: [
          record.key.app, Int64(bitPattern: record.identity), Int(record.kind.rawValue), record.received.milliseconds,
          record.bodySize, calls.count + body.count, Data(calls), Data(body),
          Int64(bitPattern: signature),
        ])
      }
      for name in Set(chosen.map { SignatureName(app: $0.0.key.app, hash: $0.1) }) { try thin(name, in: database) }
      try StackTable(database).keep(diagnostics)
    }
  }

  private struct SignatureName: Hashable {
    let app: AppID
    let hash: UInt64
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

  /// The newest records of each signature, and its first, which may be the oldest; others would be deleted immediately.
  private static func newest(
    _ most: Int, of records: [(DiagnosticRecord, UInt64)]
  ) -> [(DiagnosticRecord, UInt64)] {
    let names = records.map { SignatureName(app: $0.0.key.app, hash: $0.1) }
    let counts = names.reduce(into: [SignatureName: Int]()) { $0[$1, default: 0] += 1 }
    var seen: [SignatureName: Int] = [:]
    return zip(records, names).filter { _, name in
      seen[name, default: 0] += 1
      let number = seen[name, default: 0]
      return number == 1 || counts[name, default: 0] - number < most
    }.map(\.0)
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

  /// The identity of the oldest sample with one of these signatures.
  func oldest(of app: AppID, signatures: [Int64]) throws -> UInt64? {
    try database.read { database in
      let find = try database.cachedStatement(
        sql: """
          SELECT identity, received FROM sample INDEXED BY sample_signature
          WHERE app = ? AND signature = ? ORDER BY received, rowid LIMIT 1
          """)
      let found = try signatures.compactMap { signature in
        try Row.fetchOne(find, arguments: [app, signature]).map {
          (identity: try $0.value(0, as: Int64.self), received: try $0.value(1, as: Int64.self))
        }
      }
      return found.min { ($0.received, $0.identity) < ($1.received, $1.identity) }
        .map { UInt64(bitPattern: $0.identity) }
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

extension SQLiteStore {
  public func samples(of app: AppID, group: Int64, newest: Int, typical: Int) throws -> [GroupSample] {
    let hashes = try read { try GroupQueries($0).signatureHashes(of: group, limit: Self.mostSignatures) }
    let oldest = try samples?.unlessDamaged(or: nil) { try $0.oldest(of: app, signatures: hashes) }
    return try read { database in
      let queries = GroupQueries(database)
      var numbers = try queries.sampleNumbers(of: group, newest: newest, typical: typical)
      let first = try oldest.flatMap { try queries.number(ofIdentity: $0, app: app) }
      if let first, !numbers.contains(where: { $0.id == first }) { numbers.append((first, false)) }
      return try numbers.flatMap { number in
        try DiagnosticQueries(database).diagnostics(DiagnosticQuery(app: app, number: number.id, limit: 1)).map {
          GroupSample($0, isTypical: number.isTypical, isOldest: number.id == first)
        }
      }
    }
  }

  /// The maximum number of a group's signatures whose oldest sample is looked for.
  private static let mostSignatures = 200

  /// Deletes samples beyond the limit per group, then the oldest beyond the size limit. Call it regularly: the digest
  /// limits only the samples per signature, and a group may have many signatures.
  public func boundSamples() throws {
    guard let samples else { return }
    try samples.unlessDamaged(or: ()) { samples in
      try thin(samples)
      try samples.makeRoom()
    }
  }

  /// Deletes samples that were received before `time`.
  public func dropSamples(receivedBefore time: Timestamp) throws {
    guard let samples else { return }
    try samples.database.write { database in
      for table in SQLiteSampleStore.tables {
        try database.execute(sql: "DELETE FROM \(table) WHERE received < ?", arguments: [time.milliseconds])
      }
    }
  }

  private func thin(_ samples: SQLiteSampleStore) throws {
    var groups: [Int64: (app: AppID, signatures: [(hash: Int64, frequency: Int)], samples: Int)] = [:]
    try pool.read { database in
      let find = try database.cachedStatement(
        sql: """
          SELECT member, (SELECT sum(count) FROM signature_life WHERE signature = signature.id) FROM signature
          WHERE app = ? AND hash = ?
          """)
      for (app, hash, count) in try samples.counts() {
        guard let row = try Row.fetchOne(find, arguments: [app, hash]) else { continue }
        groups[try row.value(0), default: (app, [], 0)].signatures.append((hash, row.count(1)))
        groups[try row.value(0), default: (app, [], 0)].samples += count
      }
    }
    for group in groups.values where group.samples > samples.limits.all + 1 {
      guard let most = group.signatures.max(by: { ($0.frequency, $0.hash) < ($1.frequency, $1.hash) }) else { continue }
      try samples.thin(app: group.app, signatures: group.signatures.map(\.hash), mostFrequent: most.hash)
    }
  }
}
