internal import Glibc

/// The monotonic and the wall clock, in milliseconds.
enum SystemClock {
  /// Milliseconds since an arbitrary moment; never decreases.
  static var monotonic: Int64 { read(CLOCK_MONOTONIC) }
  /// Milliseconds since 1970, by the wall clock.
  static var wall: Int64 { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
