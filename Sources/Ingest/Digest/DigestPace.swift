import Dispatch

/// Limits the work of a flush by the measured time of earlier ones, because a machine may be busy or slower than the
/// estimates.
struct DigestPace {
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

extension DigestLoop {
  /// The limits and intervals of the loop.
  public struct Configuration: Sendable {
    /// The most bytes in the live queue. Batches that do not fit are read from the journal later.
    var queueLimit = 16 << 20
    /// The time between the end of a flush and the next one while records arrive, in nanoseconds.
    public var flushInterval: UInt64 = 1_000_000_000
    /// The shortest time between a flush's first record and the flush, in nanoseconds. Records that arrive within it
    /// are written together.
    var gathering: UInt64 = 250_000_000
    /// The interval at which an idle loop reads the journal, in nanoseconds. `plumb import` also writes to the journal.
    var pollInterval: UInt64 = 2_000_000_000
    /// The estimated work that triggers a flush, in microseconds.
    var flushWork = 2_000_000
    /// The estimated memory that triggers a flush, in bytes.
    var flushWeight = 64 << 20
    /// The largest share of a flush, from 0 to 1, that one app may use while others wait.
    var share = 0.6

    public init() {}
  }
}

extension DigestLoop.Configuration {
  var limits: DigestRound.Limits {
    DigestRound.Limits(work: flushWork, weight: flushWeight, share: share)
  }
}
