import Foundation
import Logging
import SQLiteStore
import Storage
import Web

/// Makes a standby the primary: fences the old primary, copies its last records, and begins an epoch.
struct Promotion {
  private let folder: DataFolder
  private let client: StandbyClient
  private let server: PlumbServer
  private let logger: Logger

  /// How long to wait for an answer of the old primary, in seconds. A lost machine does not refuse a connection.
  private static let longestFencing = 3
  /// How long the old primary's last records are copied, in seconds.
  private static let longestCopy = 60.0

  init(_ folder: DataFolder, _ client: StandbyClient, _ server: PlumbServer, _ logger: Logger) {
    (self.folder, self.client, self.server, self.logger) = (folder, client, server, logger)
  }

  /// Promotes. If the old primary answers, it accepts nothing after this, and all its records are here. `forces`:
  /// whether to promote even if the old primary answers but was not fenced, its last records cannot be copied, another
  /// server was promoted, or the disk is full.
  func run(_ follower: StandbyFollower, forces: Bool) throws {
    let (journal, watch) = (server.pipeline.journal, server.epochs)
    func unlessForced(_ check: () throws -> Void) throws {
      do { try check() } catch {
        guard forces else {
          throw UserFacingError("\(error). If this server is to be the primary nevertheless, use --force.")
        }
        logger.warning("\(error).")
      }
    }
    // All reasons to refuse are found before the old primary is stopped: otherwise no server would accept payloads.
    try unlessForced {
      try watch.look()
      if let successor = try journal.epoch().successor {
        throw UserFacingError("\(successor.address) was already promoted (epoch \(successor.number))")
      }
    }
    try unlessForced {
      if !server.hasRoom { throw UserFacingError("The disk has no space for payloads, so the primary was not stopped") }
    }
    let epoch = try journal.epoch()
    let next = Epoch(number: max(epoch.number, epoch.successor?.number ?? 0) + 1, promotion: Epoch.newPromotion())
    if isReachable(try watch.claim(), watch) {
      try unlessForced { try catchUp(follower) }
      try unlessForced {
        do throws(PrimaryClient.Failure) {
          _ = try exchange(EpochClaim(next, address: watch.address), watch)
          logger.notice("\(client.address) accepts no more payloads.")
        } catch {
          guard error.isUnreachable else { throw error }
          return logger.warning("\(error). It is fenced as soon as it can be reached.")
        }
        try catchUp(follower)
      }
    } else {
      logger.warning("\(client.address) cannot be reached. It is fenced as soon as it can be.")
    }
    try journal.begin(
      epoch: next.number, by: next.promotion ?? "", replacing: client.address, at: WallClock.now())
    try StandbyMarker.remove(folder)
    logger.notice("This server is the primary of epoch \(next.number).")
  }

  /// Whether the old primary answers, even if with an error.
  private func isReachable(_ claim: EpochClaim, _ watch: EpochWatch) -> Bool {
    do throws(PrimaryClient.Failure) {
      _ = try exchange(claim, watch)
      return true
    } catch {
      return !error.isUnreachable
    }
  }

  private func exchange(_ claim: EpochClaim, _ watch: EpochWatch) throws(PrimaryClient.Failure) -> EpochClaim {
    try claim.exchange(
      with: client.address, within: Self.longestFencing, secret: watch.secret, caFile: client.caFile)
  }

  private func catchUp(_ follower: StandbyFollower) throws {
    let end = ContinuousClock.now + .seconds(Self.longestCopy)
    while try follower.step(followsSuperseded: true) != .current {
      guard ContinuousClock.now < end else {
        throw UserFacingError("The last records of \(client.address) could not be copied within a minute")
      }
    }
  }
}

/// The request of `plumb promote` to the process that follows the primary.
public struct PromotionRequest {
  private let folder: DataFolder
  private let files = FileManager.default

  /// How long to wait for that process, in seconds.
  private static let longestWait = 120.0

  public init(_ path: String) throws { folder = try Installation.existingFolder(path) }

  /// Promotes the folder, and returns when it is served as the primary. Throws `UserFacingError` for a folder that is
  /// no standby, unless it is a primary and `forces` is set, and if no process follows the primary.
  public func run(forces: Bool) throws {
    guard try StandbyMarker.read(folder) != nil else { return try beginNext(forces: forces) }
    if let lock = try FolderLock(path: folder.standbyLock) {
      withExtendedLifetime(lock) {}
      throw UserFacingError(
        "No standby runs on \(folder.url.path). Start it with `plumb serve --standby-of URL`, also if the primary is "
          + "gone, then promote it.")
    }
    try? files.removeItem(atPath: folder.promotionFailure)
    try Data((forces ? "force" : "").utf8).write(to: URL(fileURLWithPath: folder.promotionRequest), options: .atomic)
    let end = ContinuousClock.now + .seconds(Self.longestWait)
    while files.fileExists(atPath: folder.promotionRequest), ContinuousClock.now < end { usleep(50_000) }
    if let text = try? String(contentsOfFile: folder.promotionFailure, encoding: .utf8) { throw UserFacingError(text) }
    guard try StandbyMarker.read(folder) == nil else {
      try? files.removeItem(atPath: folder.promotionRequest)
      throw UserFacingError("The standby on \(folder.url.path) did not answer. Its log has the reason.")
    }
  }

  /// Begins another epoch of a primary, which fences a rival. A running server sees it within seconds.
  private func beginNext(forces: Bool) throws {
    guard forces, files.fileExists(atPath: folder.journal) else {
      throw UserFacingError(
        "\(folder.url.path) is not a standby. It may be promoted already. If another server was promoted as well, and "
          + "this one is to stay, use --force.")
    }
    // Nothing is appended, so no sequence can be used twice.
    let journal = try SQLiteJournal(path: folder.journal) { _ in 0 }
    let epoch = try journal.epoch()
    if let successor = epoch.successor { throw UserFacingError("\(SupersededPrimary(successor))") }
    try journal.begin(
      epoch: epoch.number + 1, by: Epoch.newPromotion(), replacing: epoch.previous, at: WallClock.now())
  }
}
