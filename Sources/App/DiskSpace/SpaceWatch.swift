import Analysis
import Core
import Logging
import SQLiteStore
import Storage
import Synchronization

/// Watches the disk of a data folder, so that less important data does not use up the space of payloads.
///
/// Requests read the level from memory. A periodic task measures the disk every second.
final class SpaceWatch: Sendable {
  private let floor: SpaceFloor
  private let measure: @Sendable () throws -> FreeSpace
  private let growth: @Sendable () -> Int?
  private let reserve: SpaceReserve?
  private let logger: Logger
  private let state: Mutex<State>

  private struct State {
    var status: SpaceStatus?
    var growth: Int?
    var ticks = 0
    /// The error of the last measurement.
    var failure: String?
  }

  /// `measure` reads the file system. `growth` returns the folder's recent growth in bytes per day. `reserve` is
  /// released when the disk is full.
  init(
    _ floor: SpaceFloor, _ logger: Logger, reserve: SpaceReserve? = nil,
    measure: @escaping @Sendable () throws -> FreeSpace,
    growth: @escaping @Sendable () -> Int? = { nil }
  ) {
    self.floor = floor
    self.measure = measure
    self.growth = growth
    self.reserve = reserve
    self.logger = logger
    state = Mutex(State())
    look()
  }

  /// The last measurement; nil if none has succeeded.
  var status: SpaceStatus? { state.withLock { $0.status } }

  /// The level of the last measurement; `enough` without one, because a failed measurement does not mean a full disk.
  var level: SpaceLevel { status?.level ?? .enough }

  /// Measures now, and logs when the level changes.
  func look() {
    let isDue = state.withLock { state in
      defer { state.ticks += 1 }
      return state.ticks % Self.growthTicks == 0
    }
    if isDue {
      let known = growth()
      state.withLock { $0.growth = known }
    }
    do {
      let space = try measure()
      let (before, now) = state.withLock { state in
        let before = state.status?.level ?? .enough
        state.failure = nil
        let status = SpaceStatus(space: space, floor: floor.bytes(of: space.total), growth: state.growth)
        state.status = status
        return (before, status)
      }
      if before != now.level {
        if let warning = now.warning {
          logger.warning("\(warning)")
        } else {
          logger.notice("The disk has enough space again.")
        }
      }
      if let bytes = try reserve?.releaseIfFull(now) {
        logger.warning("The disk is full: the reserve of \(ByteSize.text(bytes)) is released for logins and deletions.")
      } else {
        try reserve?.fillIfRoomy(now)
      }
    } catch {
      let isNew = state.withLock { state in
        defer { state.failure = "\(error)" }
        return state.failure != "\(error)"
      }
      if isNew { logger.error("\(error)") }
    }
  }

  /// Measurements between two reads of the growth, which changes once a day.
  private static let growthTicks = 600
}
