import Core
import Logging
import SQLiteStore
import Storage

/// Fences a primary: learns from its peers, its ingest nodes and from promoted standbys that a newer primary exists.
/// The journal then accepts no more records, also after a restart.
struct EpochWatch: Sendable {
  let journal: SQLiteJournal
  let secret: [UInt8]
  /// The address of this server, for peers.
  let address: String
  let caFile: String?
  let logger: Logger

  /// Seconds between two questions to the peers.
  static let interval = 5.0

  /// Asks every peer for its epoch. A peer of an older epoch learns of this one's. Unreachable peers are ignored: they
  /// are asked again, and a promoted one also asks.
  func look() throws {
    let own = try claim()
    for peer in try journal.peers() where peer != address {
      guard let theirs = try? own.exchange(with: peer, secret: secret, caFile: caFile) else { continue }
      try learn(theirs)
    }
  }

  func claim() throws -> EpochClaim { EpochClaim(number: try journal.epoch().number, address: address) }

  /// Notes the epoch of another server.
  func learn(_ other: EpochClaim) throws {
    guard try journal.supersede(by: Epoch.Successor(number: other.number, address: other.address)) else { return }
    logger.critical("\(SupersededPrimary(Epoch.Successor(number: other.number, address: other.address)))")
  }
}
