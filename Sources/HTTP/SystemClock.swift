internal import Glibc

/// The two clocks, in milliseconds.
enum SystemClock {
  /// Since an arbitrary moment; never goes back.
  static var monotonic: Int64 { read(CLOCK_MONOTONIC) }
  /// Since 1970.
  static var wall: Int64 { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
