public import Core
import Foundation
public import Logging
import SQLiteStore
import Storage

/// Applies retention to a data folder, for `plumb prune`.
public enum RetentionPruning {
  /// Deletes expired data and returns free pages to the file system. Returns the bytes freed. Rewrites files of older
  /// versions if no server uses the folder and the disk has the space. Throws `UserFacingError` while the clock is
  /// implausible, unless `clockIsRight`.
  public static func run(
    _ installation: Installation, _ settings: Settings, clockIsRight: Bool = false, logger: Logger,
    clock: @escaping @Sendable () -> Timestamp = WallClock.now
  ) throws -> Int {
    let isInUse = try Installation.isInUse(installation.folder.url.path)
    let space = try FreeSpace.of(installation.folder.url.path)
    let room = try isInUse ? 0 : max(0, space.free - settings.spaceFloor().bytes(of: space.total))
    let pipeline = try Pipeline(
      installation, migrating: false, limits: settings.sampleLimits(), retention: settings.retention(), logger: logger,
      clock: clock)
    defer { pipeline.stop() }
    if let doubt = try pipeline.reviewClock(confirmed: clockIsRight) { throw UserFacingError(doubt) }
    // Completes deletions of a process that was killed or had no space.
    if pipeline.isDigesting { try pipeline.erasures.carryOut(clock: pipeline.clock.now) }
    return try pipeline.maintain(now: pipeline.clock.now(), releasesAll: true, convertingWithin: room)
  }
}
