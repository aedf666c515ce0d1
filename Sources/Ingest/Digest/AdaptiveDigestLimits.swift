import Dispatch

/// Limits the work of a flush by the measured time of earlier ones, because a machine may be busy or slower than the
/// estimates.
struct AdaptiveDigestLimits {
  private let base: DigestRound.Limits
  /// The moving average of measured time divided by estimated time.
  private var slowness = 1.0
  private var nanoseconds: UInt64 = 0

  init(_ limits: DigestRound.Limits) { base = limits }

  /// The limits on work and memory of the next round.
  var limits: DigestRound.Limits {
    var limits = base
    limits.work = Int(Double(base.work) / slowness)
    return limits
  }

  /// The largest slowness that is considered. Small flushes cost more per record, so a still slower machine needs
  /// fewer, larger ones.
  private static let slowest = 12.0

  /// Runs a part of a round and adds its duration to the measured time.
  mutating func measure(_ body: () throws -> Void) rethrows {
    let start = DispatchTime.now().uptimeNanoseconds
    defer { nanoseconds += DispatchTime.now().uptimeNanoseconds - start }
    try body()
  }

  /// Ends a round. `estimate` is its estimated work in microseconds.
  mutating func learn(estimate: Int) {
    let measured = Double(nanoseconds) / 1000
    nanoseconds = 0
    // A small round spends most of its time waking up.
    guard estimate > 50_000 else { return }
    slowness = min(max(slowness + (measured / Double(estimate) - slowness) / 3, 0.5), Self.slowest)
  }
}
