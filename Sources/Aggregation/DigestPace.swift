import Dispatch

/// How much a flush may take in, by how long the ones before took: a machine may be slower than the estimates, or busy.
struct DigestPace {
  private let base: DigestRound.Limits
  /// Time that was measured by time that was estimated, as a moving mean.
  private var slowness = 1.0
  private var nanoseconds: UInt64 = 0

  init(_ limits: DigestRound.Limits) { base = limits }

  /// For the next round.
  var limits: DigestRound.Limits {
    var limits = base
    limits.work = Int(Double(base.work) / slowness)
    return limits
  }

  /// Small flushes cost more by the record: a machine that is slower than this is better served late.
  private static let slowest = 12.0

  /// Counts the time of a part of a round.
  mutating func measure(_ body: () throws -> Void) rethrows {
    let start = DispatchTime.now().uptimeNanoseconds
    defer { nanoseconds += DispatchTime.now().uptimeNanoseconds - start }
    try body()
  }

  /// The round is over. `estimate`: in microseconds.
  mutating func learn(estimate: Int) {
    let measured = Double(nanoseconds) / 1000
    nanoseconds = 0
    // Of a small round, waking up is most.
    guard estimate > 50_000 else { return }
    slowness = min(max(slowness + (measured / Double(estimate) - slowness) / 3, 0.5), Self.slowest)
  }
}

extension DigestLoop {
  /// How the loop paces itself.
  public struct Configuration: Sendable {
    /// The live queue's bound in bytes; what does not fit is read from the journal later.
    public var queueLimit = 16 << 20
    /// A flush happens at the latest this long after the first record, in nanoseconds.
    public var flushInterval: UInt64 = 2_000_000_000
    /// An idle loop looks into the journal this often, in nanoseconds: `plumb import` writes there, too.
    public var pollInterval: UInt64 = 2_000_000_000
    /// A flush happens when digesting and applying it takes about so many microseconds,
    public var flushWork = 2_000_000
    /// or about so many bytes of memory.
    public var flushWeight = 64 << 20
    /// The part of a flush that one app may have while others wait.
    public var share = 0.6

    public init() {}
  }
}

extension DigestLoop.Configuration {
  var limits: DigestRound.Limits {
    DigestRound.Limits(work: flushWork, weight: flushWeight, share: share)
  }
}
