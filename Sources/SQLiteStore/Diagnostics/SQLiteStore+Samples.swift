public import Core
import GRDB
public import Storage

extension SQLiteStore {
  public func samples(of app: AppID, group: Int64, newest: Int, typical: Int) throws -> [GroupSample] {
    guard let samples else { return [] }
    let (hashes, recent, frequent) = try read { database in
      let queries = GroupQueries(database)
      return (
        try queries.signatureHashes(of: group, limit: Self.mostSignatures),
        try queries.recentSignatures(of: group, limit: newest), try queries.mostFrequentSignature(of: group)
      )
    }
    let signatures = Set(recent + (frequent.map { [$0] } ?? []))
    let kept = try samples.unlessDamaged(or: []) {
      try $0.newest(of: app, signatures: signatures, limit: newest + typical)
    }
    let oldest = try samples.unlessDamaged(or: nil) { try $0.oldest(of: app, signatures: hashes) }
    let more = kept.dropFirst(newest).filter { $0.signature == frequent }.prefix(typical)
    var found = (kept.prefix(newest) + more).map { kept in
      (identity: kept.identity, isTypical: kept.signature == frequent)
    }
    if let oldest, !found.contains(where: { $0.identity == oldest }) {
      found.append((identity: oldest, isTypical: false))
    }
    return try read { database in
      try found.flatMap { sample in
        // A diagnostic may be deleted before its sample.
        guard let number = try GroupQueries(database).number(ofIdentity: sample.identity, app: app) else {
          return [GroupSample]()
        }
        return try DiagnosticQueries(database).diagnostics(DiagnosticQuery(app: app, number: number, limit: 1)).map {
          GroupSample($0, isTypical: sample.isTypical, isOldest: sample.identity == oldest)
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
