import Core
import Dispatch
import Logging
import SQLiteStore
import Storage
import Synchronization

/// Fences a primary: learns from its peers, its ingest nodes and from promoted standbys that a newer primary exists.
/// The journal then accepts no more records, also after a restart. A primary of the same epoch is only reported, because
/// nothing shows which of the two is to stay.
final class EpochWatch: Sendable {
  let journal: SQLiteJournal
  let secret: [UInt8]
  /// The address of this server, for peers.
  let address: String
  private let caFile: String?
  private let logger: Logger
  private let found = Mutex<RivalPrimaries?>(nil)

  /// Seconds between two questions to the peers.
  static let interval = 5.0

  init(journal: SQLiteJournal, secret: [UInt8], address: String, caFile: String?, logger: Logger) {
    (self.journal, self.secret, self.address) = (journal, secret, address)
    (self.caFile, self.logger) = (caFile, logger)
  }

  /// The other primary of this epoch, if one is known. Never blocks.
  var rivals: RivalPrimaries? { found.withLock(\.self) }

  /// Asks every peer for its epoch. A peer of an older epoch learns of this one's. Unreachable peers are ignored: they
  /// are asked again, and a promoted one also asks.
  func look() throws {
    let own = try claim()
    let isFenced = journal.refusal != nil
    found.withLock { rivals in if isFenced || rivals.map({ $0.epoch < own.epoch.number }) == true { rivals = nil } }
    for claim in own.exchange(with: try journal.peers(), secret: secret, caFile: caFile) { try learn(claim) }
  }

  func claim() throws -> EpochClaim { EpochClaim(try journal.epoch(), address: address) }

  /// Notes the epoch of another server.
  func learn(_ other: EpochClaim) throws {
    let own = try journal.epoch()
    // A standby, and a primary that was replaced, accept no payloads beside another.
    if own.isRival(of: other.epoch), journal.refusal == nil {
      let rivals = RivalPrimaries(epoch: other.epoch.number, address, other.address)
      // It is asked again after a restart.
      if try other.isAddressed && !journal.peers().contains(other.address) {
        try journal.note(peer: other.address, at: WallClock.now())
      }
      let isNew = found.withLock { known in
        defer { if known == nil || other.isAddressed { known = rivals } }
        return known == nil
      }
      if isNew { logger.critical("\(rivals)") }
      return
    }
    guard other.epoch.number > own.number else { return }
    let successor = Epoch.Successor(number: other.epoch.number, address: other.address)
    guard try journal.supersede(by: successor) else { return }
    logger.critical("\(SupersededPrimary(successor))")
  }
}
