import Core
import Logging
import Storage
import Synchronization

/// Tells the servers that an ingest node knows which primary it relays to, so that an earlier primary and one of the
/// same epoch learn of it, also while the node has no reason to contact them.
final class NodeEpochWatch: Sendable {
  private let client: PrimaryClient
  private let secret: [UInt8]
  private let caFile: String?
  private let logger: Logger
  private let found = Mutex<RivalPrimaries?>(nil)

  /// Seconds between two rounds.
  static let interval = 15.0

  init(_ client: PrimaryClient, secret: [UInt8], caFile: String?, _ logger: Logger) {
    (self.client, self.secret, self.caFile, self.logger) = (client, secret, caFile, logger)
  }

  /// Another primary of the epoch of this node's primary, if one is known.
  var rivals: RivalPrimaries? { found.withLock(\.self) }

  /// Exchanges epochs with every address that is not in use. A later epoch is noted, so that the node's primary refuses
  /// its next request, and the node goes on to the next address.
  func look() {
    let own = EpochClaim(client.epoch, address: client.address)
    let answers = own.exchange(with: client.alternatives, secret: secret, caFile: caFile)
    for theirs in answers { client.note(later: theirs.epoch.number) }
    let rival = answers.first { $0.epoch.isRival(of: own.epoch) }
    let isNew = found.withLock { known in
      if let rival {
        defer { known = RivalPrimaries(epoch: own.epoch.number, own.address, rival.address) }
        return known == nil
      }
      if let epoch = known?.epoch, epoch < own.epoch.number { known = nil }
      return false
    }
    if isNew, let rivals { logger.critical("\(rivals) This node relays to \(own.address) only.") }
  }
}
