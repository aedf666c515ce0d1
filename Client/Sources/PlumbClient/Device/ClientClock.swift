import Dispatch
import Foundation

/// The two clocks of a device. The wall clock can be changed, so durations and waits use the uptime.
struct ClientClock: Sendable {
  /// The wall clock.
  var now: @Sendable () -> Date
  /// Seconds that only increase during the process.
  var uptime: @Sendable () -> TimeInterval

  static let system = ClientClock(
    now: { Date() }, uptime: { TimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9 })
}

extension Date {
  /// Milliseconds since 1970, saturating.
  var milliseconds: Int64 {
    let value = (timeIntervalSince1970 * 1000).rounded()
    return value >= 9e15 ? 9_000_000_000_000_000 : value <= 0 ? 0 : Int64(value)
  }

  init(milliseconds: Int64) { self.init(timeIntervalSince1970: TimeInterval(milliseconds) / 1000) }

  /// False if the clock was never set, because this package did not exist before 2025. Documents omit such a time, and
  /// the server uses the time of receipt.
  var isPlausible: Bool { timeIntervalSince1970 >= 1_735_689_600 }
}
