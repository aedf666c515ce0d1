import GRDB
import Storage

extension SQLiteDiagnosticBodies {
  /// Says which signatures older samples have.
  func sign(_ signatures: [(app: AppID, identity: UInt64, hash: UInt64)]) throws {
    try database.write { database in
      let update = try database.cachedStatement(
        sql: "UPDATE sample SET signature = ? WHERE app = ? AND identity = ? AND signature IS NULL")
      for (app, identity, hash) in signatures {
        try update.execute(arguments: [Int64(bitPattern: hash), app, Int64(bitPattern: identity)])
      }
    }
  }

  /// Which of these are kept.
  func kept(of app: AppID, identities: [UInt64]) throws -> Set<UInt64> {
    try database.read { database in
      let find = try database.cachedStatement(sql: "SELECT 1 FROM sample WHERE app = ? AND identity = ?")
      return try Set(
        identities.filter { try Int.fetchOne(find, arguments: [app, Int64(bitPattern: $0)]) != nil })
    }
  }

  /// How many samples each signature has.
  func counts() throws -> [(app: AppID, signature: Int64, count: Int)] {
    try database.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT app, signature, count(*) FROM sample WHERE signature IS NOT NULL GROUP BY app, signature"
      ).map { (try $0.value(0), try $0.value(1), try $0.value(2)) }
    }
  }

  /// Of a group's samples, drops all but the newest and the newest of its most frequent signature.
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
      let kept = Set(rows.prefix(limits.newest).map(\.row) + typical.map(\.row))
      let drop = try database.cachedStatement(sql: "DELETE FROM sample WHERE rowid = ?")
      for row in rows where !kept.contains(row.row) { try drop.execute(arguments: [row.row]) }
    }
  }
}

extension SQLiteStore {
  /// Drops samples of groups that have more than are kept, then the oldest of all that take too much of the disk. Call it
  /// now and then: the digest bounds each signature, and a group may have many.
  public func boundSamples() throws {
    guard let samples else { return }
    try thin(samples)
    try samples.makeRoom()
  }

  private func thin(_ samples: SQLiteDiagnosticBodies) throws {
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
    for group in groups.values where group.samples > samples.limits.all {
      guard let most = group.signatures.max(by: { ($0.frequency, $0.hash) < ($1.frequency, $1.hash) }) else { continue }
      try samples.thin(app: group.app, signatures: group.signatures.map(\.hash), mostFrequent: most.hash)
    }
  }
}
