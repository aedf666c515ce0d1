import Analysis
import Core
import Logging
import SQLiteStore
import Storage
import Synchronization

/// Watches the disk of a data folder, so that nothing is written that would leave no room for what matters more.
///
/// The level is read by every request from memory; a periodic task asks the file system every second.
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

  /// `measure` asks the file system. `growth` gives the bytes a day by which the folder grew lately. `reserve` is given
  /// up when the disk is full.
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

  /// What was measured last; nil if the file system has never answered.
  var status: SpaceStatus? { state.withLock { $0.status } }

  /// Enough while nothing is known, because a file system that does not answer is not a full one.
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
        if let warning = now.warning { logger.warning("\(warning)") } else { logger.notice("The disk has room again.") }
      }
      if let bytes = try reserve?.releaseIfFull(now) {
        logger.warning("The disk is full: the reserved \(ByteSize.text(bytes)) are given to logins and deletions.")
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

  /// Measurements between two looks at the growth, which changes once a day.
  private static let growthTicks = 600
}
