import Dispatch
import Foundation

/// The two clocks of a device. The wall clock can be set; durations and waits are measured by the other one.
struct ClientClock: Sendable {
  /// The wall clock.
  var now: @Sendable () -> Date
  /// Seconds that only grow while the process lives.
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

  /// False for a clock that was never set: there was no such package before 2025. Such a time is left out of documents,
  /// and the server takes the time of receipt.
  var isPlausible: Bool { timeIntervalSince1970 >= 1_735_689_600 }
}
