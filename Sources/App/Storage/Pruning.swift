import Foundation
public import Logging
import SQLiteStore
import Storage

/// Applies retention to a data folder from a command.
public enum Pruning {
  /// Drops what is past its time and gives free pages back. Returns the bytes. Files of older versions are written anew
  /// if no server uses the folder and the disk has room for it.
  public static func run(_ installation: Installation, _ settings: Settings, logger: Logger) throws -> Int {
    let isInUse = try Installation.isInUse(installation.folder.url.path)
    let space = try FreeSpace.of(installation.folder.url.path)
    let room = try isInUse ? 0 : max(0, space.free - settings.spaceFloor().bytes(of: space.total))
    let pipeline = try Pipeline(
      installation, migrating: false, limits: settings.sampleLimits(), retention: settings.retention(), logger: logger)
    defer { pipeline.stop() }
    // Those of a process that was killed, or had no room.
    if pipeline.isDigesting { try pipeline.erasures.carryOut(clock: WallClock.now) }
    return try pipeline.maintain(now: WallClock.now(), releasesAll: true, convertingWithin: room)
  }
}
