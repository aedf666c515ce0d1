public import Core
import Foundation

/// The system's wall clock.
public enum WallClock {
  /// The current time: milliseconds since 1970, UTC.
  public static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
