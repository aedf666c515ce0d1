public import Core
import GRDB
public import Storage
import Synchronization

/// Whether records may be appended to a journal: not on a standby, and not once a newer primary exists.
final class JournalAdmission: Sendable {
  private let refusal = Mutex<(any Error)?>(nil)

  /// Throws the reason why no records may be appended. Call it in the transaction that appends, so that none is
  /// appended after `supersede` returns.
  func check() throws { if let error = reason { throw error } }

  /// The reason why no records may be appended; nil if they may.
  var reason: (any Error)? { refusal.withLock { $0 } }

  func note(_ epoch: Epoch) { if let successor = epoch.successor { refuse(SupersededPrimary(successor)) } }

  func refuse(_ error: any Error) { refusal.withLock { $0 = error } }
}

/// The sequence of primaries, and the servers that may have replaced this one.
extension SQLiteJournal {
  /// Why no records may be appended: `SupersededPrimary` or `StandbyIsReadOnly`; nil if they may. Never blocks.
  public var refusal: (any Error)? { admission.reason }

  public func epoch() throws -> Epoch {
    try Connections.naming(path) { try reader.read(Self.epoch) }
  }

  static func epoch(_ database: Database) throws -> Epoch {
    let sql = "SELECT number, previous, superseded, superseded_by, promotion FROM epoch"
    guard let row = try Row.fetchOne(database, sql: sql) else { return Epoch(number: 0) }
    let (number, address) = (try row.value(2, as: Int64?.self), try row.value(3, as: String?.self))
    return Epoch(
      number: try row.value(0), promotion: try row.value(4, as: String?.self),
      previous: try row.value(1, as: String?.self),
      successor: number.map { Epoch.Successor(number: $0, address: address ?? "") })
  }

  /// Notes that a newer primary exists. When this returns, the journal accepts no more records, and that is on disk.
  /// Returns false if the epoch is not newer than this journal's.
  @discardableResult public func supersede(by successor: Epoch.Successor) throws -> Bool {
    try Connections.naming(path) {
      try writer.write { database in
        let epoch = try Self.epoch(database)
        guard successor.number > max(epoch.number, epoch.successor?.number ?? 0) else { return false }
        try database.execute(
          sql: "UPDATE epoch SET superseded = ?, superseded_by = ?", arguments: [successor.number, successor.address])
        admission.refuse(SupersededPrimary(successor))
        return true
      }
    }
  }

  /// Notes the epoch of the primary that an ingest node relays to, or that a standby follows. The number never
  /// decreases, and a known promotion of the same number stays.
  public func raise(epoch: Epoch) throws {
    try Connections.naming(path) {
      try writer.write {
        try $0.execute(
          sql: "UPDATE epoch SET number = ?, promotion = ? WHERE number < ? OR (number = ? AND promotion IS NULL)",
          arguments: [epoch.number, epoch.promotion, epoch.number, epoch.number])
      }
    }
  }

  /// Begins an epoch as the primary that replaces `previous`, which becomes a peer.
  public func begin(epoch number: Int64, by promotion: String, replacing previous: String?, at now: Timestamp) throws {
    try Connections.naming(path) {
      try writer.write { database in
        try database.execute(
          sql: "UPDATE epoch SET number = ?, promotion = ?, previous = ?, superseded = NULL, superseded_by = NULL",
          arguments: [number, promotion, previous])
        if let previous { try Self.store(peer: previous, at: now, in: database) }
      }
    }
  }

  /// The maximum number of peers. The ones heard least recently are forgotten.
  public static let mostPeers = 4

  /// The addresses of the servers that may have replaced this primary.
  public func peers() throws -> [String] {
    try Connections.naming(path) {
      try reader.read { try String.fetchAll($0, sql: "SELECT address FROM peer ORDER BY heard DESC, address") }
    }
  }

  /// Notes a standby's address, from which a promotion can be learnt after a restart.
  public func note(peer address: String, at now: Timestamp) throws {
    try Connections.naming(path) { try writer.write { try Self.store(peer: address, at: now, in: $0) } }
  }

  private static func store(peer address: String, at now: Timestamp, in database: Database) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO peer (address, heard) VALUES (?, ?)", arguments: [address, now.milliseconds])
    try database.execute(
      sql: "DELETE FROM peer WHERE address NOT IN (SELECT address FROM peer ORDER BY heard DESC LIMIT ?)",
      arguments: [mostPeers])
  }
}
