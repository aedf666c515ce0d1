import Core
import Foundation
public import Logging
import SQLiteStore
public import Storage
public import Web

/// A deletion from a command: carried out here, or by the server that digests the folder.
public final class Deletion {
  private let installation: Installation
  private let pipeline: Pipeline

  /// Opens the folder, and digests what waits in its journal unless another process does. On a full disk it first takes the
  /// room that is kept for this.
  public init(_ installation: Installation, settings: Settings, logger: Logger) throws {
    self.installation = installation
    let space = try FreeSpace.of(installation.folder.url.path)
    _ = try SpaceReserve(installation.folder)
      .releaseIfFull(SpaceStatus(space: space, floor: try settings.spaceFloor().bytes(of: space.total)))
    pipeline = try Pipeline(
      installation, migrating: false, limits: settings.sampleLimits(), retention: settings.retention(), logger: logger)
  }

  /// The hash of ids with the folder's secret.
  public var identity: IdentityHash { pipeline.identity }

  /// What would be deleted, a line each. Changes nothing.
  public func trial(_ scope: ErasureScope, of app: App) throws -> [String] {
    if pipeline.isDigesting { try pipeline.waitUntilApplied(through: pipeline.journal.lastSequence()) }
    return try pipeline.erasures.trial(scope, of: app)
  }

  /// Requests a deletion and waits until it is done or refused. `waits`: called once if another process does it.
  public func run(_ scope: ErasureScope, of app: App, by name: String, waits: () -> Void) throws -> Erasure {
    let erasure = try pipeline.erasures.request(scope, of: app, by: name, at: WallClock.now())
    try installation.control.record(erasure.event)
    if !pipeline.isDigesting { waits() }
    let start = ContinuousClock.now
    while true {
      do {
        // Also when the process that digested has ended since.
        if try pipeline.takeDigest() { try pipeline.erasures.carryOut(clock: pipeline.clock.now) }
      } catch let unfinished as ErasureUnfinished where start.duration(to: .now) > Self.patience {
        throw UserFacingError(
          "\(unfinished) The request \(erasure.id) stays: the next `plumb serve`, `plumb prune` or `plumb delete` finishes it."
        )
      } catch is ErasureUnfinished {
        // A page that is read ends in a moment.
      }
      guard let known = try installation.control.erasure(erasure.id) else {
        throw UserFacingError("The request \(erasure.id) is gone from control.db.")
      }
      if known.finished != nil { return known }
      if !pipeline.isDigesting, start.duration(to: .now) > Self.patience,
        let reason = known.statement.split(separator: "\n").first(where: { $0.hasPrefix(ErasureUnfinished.mark) })
      {
        throw UserFacingError("\(reason) The request \(erasure.id) stays, and the server goes on with it.")
      }
      usleep(100_000)
    }
  }

  /// How long a command tries to finish.
  private static let patience: Duration = .seconds(10)

  /// Ends the work on the folder.
  public func end() { pipeline.stop() }
}
