import Foundation
import Logging
import SQLiteStore
import Storage
import Web

/// Makes a standby the primary: fences the old primary, copies its last records, and begins an epoch.
struct Promotion {
  private let folder: DataFolder
  private let client: StandbyClient
  private let own: String
  private let secret: [UInt8]
  private let logger: Logger

  /// How long to wait for an answer of the old primary, in seconds. A lost machine does not refuse a connection.
  private static let longestFencing = 4
  /// How long the old primary's last records are copied, in seconds.
  private static let longestCopy = 60.0

  init(_ folder: DataFolder, _ client: StandbyClient, own: String, _ logger: Logger) throws {
    (self.folder, self.client, self.own, self.logger) = (folder, client, own, logger)
    secret = try SecretFile.read(in: folder.url.path)
  }

  /// Promotes. If the old primary answers, it accepts nothing after this, and all its records are here. `forces`:
  /// whether to promote even if the old primary answers but was not fenced, or its last records cannot be copied.
  func run(_ follower: StandbyFollower, _ pipeline: Pipeline, forces: Bool) throws {
    let journal = pipeline.journal
    let epoch = try journal.epoch()
    let number = max(epoch.number, epoch.successor?.number ?? 0) + 1
    let claim = EpochClaim(number: number, address: own)
    do {
      _ = try claim.exchange(with: client.address, within: Self.longestFencing, secret: secret, caFile: client.caFile)
      logger.notice("\(client.address) accepts no more payloads.")
      try catchUp(follower)
    } catch let failure as PrimaryClient.Failure where failure.isUnreachable {
      logger.warning("\(failure). It is fenced as soon as it can be reached.")
    } catch {
      guard forces else {
        throw UserFacingError("\(error). If that server must not be primary any more, use --force.")
      }
      logger.warning("\(error).")
    }
    try journal.begin(epoch: number, replacing: client.address, at: WallClock.now())
    try StandbyMarker.remove(folder)
    logger.notice("This server is the primary of epoch \(number).")
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
  /// no standby, and if no process follows the primary.
  public func run(forces: Bool) throws {
    guard try StandbyMarker.read(folder) != nil else {
      throw UserFacingError("\(folder.url.path) is not a standby. It may be promoted already.")
    }
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
}
