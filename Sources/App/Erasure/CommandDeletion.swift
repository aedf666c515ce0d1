public import Core
import Foundation
public import Logging
import SQLiteStore
public import Storage

/// A deletion by a command, which this process carries out, or the server that digests the folder.
public final class CommandDeletion {
  private let installation: Installation
  private let pipeline: Pipeline

  /// Opens the folder and digests the waiting records, unless another process digests. On a full disk, releases the
  /// space reserve first.
  public init(_ installation: Installation, settings: Settings, logger: Logger) throws {
    self.installation = installation
    let space = try FreeSpace.of(installation.folder.url.path)
    _ = try SpaceReserve(installation.folder)
      .releaseIfFull(SpaceStatus(space: space, floor: try settings.spaceFloor().bytes(of: space.total)))
    pipeline = try Pipeline(
      installation, migrating: false, limits: settings.sampleLimits(), retention: settings.retention(), logger: logger)
  }

  /// The hash of ids with the folder's secret.
  public var identity: KeyedIDHash { pipeline.identity }

  /// The data that would be deleted, one line per kind. Changes nothing.
  public func trial(_ scope: ErasureScope, of app: App) throws -> [String] {
    if pipeline.isDigesting { try pipeline.waitUntilApplied(through: pipeline.journal.lastSequence()) }
    return try pipeline.erasures.trial(scope, of: app)
  }

  /// Requests a deletion and waits until it is done or refused. `waits`: called once if another process carries it out.
  public func run(_ scope: ErasureScope, of app: App, by name: String, waits: () -> Void) throws -> Erasure {
    let erasure = try pipeline.erasures.request(scope, of: app, by: name, at: WallClock.now())
    try installation.control.record(erasure.event)
    if !pipeline.isDigesting { waits() }
    let start = ContinuousClock.now
    while true {
      do {
        // This process takes over if the process that digested has ended.
        if try pipeline.takeDigest() { try pipeline.erasures.carryOut(clock: pipeline.clock.now) }
      } catch let unfinished as ErasureUnfinished where start.duration(to: .now) > Self.patience {
        throw UserFacingError(
          "\(unfinished) The next `plumb serve`, `plumb prune` or `plumb delete` completes request \(erasure.id)."
        )
      } catch is ErasureUnfinished {
        // A reader of the file ends in a moment.
      }
      guard let known = try installation.control.erasure(erasure.id) else {
        throw UserFacingError("The request \(erasure.id) is missing in control.db. Request the deletion again.")
      }
      if known.finished != nil { return known }
      if !pipeline.isDigesting, start.duration(to: .now) > Self.patience,
        let reason = known.statement.split(separator: "\n").first(where: { $0.hasPrefix(ErasureUnfinished.mark) })
      {
        throw UserFacingError("\(reason) The server will complete request \(erasure.id).")
      }
      usleep(100_000)
    }
  }

  /// How long a command tries to complete the deletion.
  private static let patience: Duration = .seconds(10)

  /// Stops the pipeline and releases the folder.
  public func end() { pipeline.stop() }
}
