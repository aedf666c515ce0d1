public import Core
import Foundation
import Storage
import Synchronization

/// The wall clock, unless it contradicts the time since the process started or the newest known receipt.
///
/// - While the process runs, a jump of the wall clock is ignored until the new time has lasted for an hour and is
///   plausible, or has lasted for a day. Meanwhile the time continues as before.
/// - At the start, a clock more than a day behind the newest receipt is wrong, and the time continues from the receipt.
///   A clock more than 30 days ahead may be right after a long pause. It is used, but nothing expires until it has
///   lasted for a day or is confirmed.
public final class PlausibleClock: Sendable {
  private struct State {
    var newest: Timestamp?
    /// The time and the elapsed milliseconds at one moment.
    var anchor: (time: Int64, elapsed: Int64)
    /// When the clock began to be used although it is implausible; nil if it is plausible.
    var doubtedSince: Int64?
    /// The difference between wall clock and elapsed time since a jump, and when the jump happened.
    var jump: (offset: Int64, since: Int64)?
  }

  private let state: Mutex<State>
  private let wall: @Sendable () -> Timestamp
  private let elapsed: @Sendable () -> Int64

  /// The largest correction of a clock that is not a jump, in milliseconds.
  private static let step: Int64 = 5 * 60_000
  /// How long a new time must last: if it is plausible, and if it is not.
  private static let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)

  /// `newest`: the newest known receipt. `elapsed`: the milliseconds of a monotonic clock.
  init(
    newest: Timestamp?, wall: @escaping @Sendable () -> Timestamp = WallClock.now,
    elapsed: @escaping @Sendable () -> Int64 = PlausibleClock.sinceBoot
  ) {
    (self.wall, self.elapsed) = (wall, elapsed)
    let (time, start) = (wall().milliseconds, elapsed())
    var state = State(newest: newest, anchor: (time, start))
    if let newest, !PlausibleReceipts.after(newest).contains(Timestamp(milliseconds: time)) {
      state.doubtedSince = start
      if time < newest.milliseconds {
        state.anchor.time = newest.milliseconds
        state.jump = (time &- start, start)
      }
    }
    self.state = Mutex(state)
  }

  /// The milliseconds since the machine started, including sleep.
  public static func sinceBoot() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// The current plausible time.
  public func now() -> Timestamp {
    state.withLock { state in
      // Both are read within the lock, so that no older time looks like a jump.
      let (time, elapsed) = (wall().milliseconds, elapsed())
      let expected = state.anchor.time &+ (elapsed &- state.anchor.elapsed)
      if Self.isNear(time, expected) {
        (state.anchor, state.jump) = ((time, elapsed), nil)
        if let since = state.doubtedSince, elapsed - since >= Self.day || isPlausible(time, state) {
          state.doubtedSince = nil
        }
        return Timestamp(milliseconds: time)
      }
      let offset = time &- elapsed
      if let jump = state.jump, Self.isNear(jump.offset, offset) {
        let held = elapsed - jump.since
        if held >= Self.day || held >= Self.hour && isPlausible(time, near: expected, state) {
          return follow(time, elapsed, &state)
        }
      } else {
        state.jump = (offset, elapsed)
      }
      // A clock that was wrong at the start was corrected.
      if state.doubtedSince != nil, isPlausible(time, state) { return follow(time, elapsed, &state) }
      return Timestamp(milliseconds: expected)
    }
  }

  private func follow(_ time: Int64, _ elapsed: Int64, _ state: inout State) -> Timestamp {
    (state.anchor, state.jump, state.doubtedSince) = ((time, elapsed), nil, nil)
    return Timestamp(milliseconds: time)
  }

  private func isPlausible(_ time: Int64, _ state: State) -> Bool {
    PlausibleReceipts.after(state.newest).contains(Timestamp(milliseconds: time))
  }

  /// Whether a time is plausible after a jump. A process that had the right time compares with that time, which may be
  /// newer than any receipt.
  private func isPlausible(_ time: Int64, near expected: Int64, _ state: State) -> Bool {
    let known = state.doubtedSince == nil ? Timestamp(milliseconds: expected) : state.newest
    return PlausibleReceipts.after(known).contains(Timestamp(milliseconds: time))
  }

  private static func isNear(_ time: Int64, _ other: Int64) -> Bool {
    let difference = time.subtractingReportingOverflow(other)
    return !difference.overflow && difference.partialValue.magnitude <= UInt64(step)
  }

  /// Why nothing expires by age now; nil while the clock is plausible. Never blocks for long.
  var doubt: String? {
    let now = now()
    return state.withLock { state in
      if let jump = state.jump {
        let shown = Timestamp(milliseconds: jump.offset &+ elapsed())
        return """
          The clock shows \(shown.iso), but should show about \(now.iso). \(Self.meaning)
          """
      }
      guard state.doubtedSince != nil, let newest = state.newest else { return nil }
      return "The clock shows \(now.iso), but the newest payload was received at \(newest.iso). \(Self.meaning)"
    }
  }

  private static let meaning = """
    Nothing expires and no alert is evaluated until the clock is corrected or has been stable for a day. If the clock \
    is right, run `plumb prune --clock-is-right`.
    """

  /// Sets the newest known receipt, which another process may have confirmed.
  func note(newest: Timestamp?) { state.withLock { $0.newest = newest } }

  /// Accepts the wall clock as right.
  func confirm() {
    let (time, elapsed) = (wall().milliseconds, elapsed())
    state.withLock { state in
      state.newest = Timestamp(milliseconds: time)
      _ = follow(time, elapsed, &state)
    }
  }
}
