import Dispatch

extension DigestLoop {
  /// The limits and intervals of the loop.
  public struct Configuration: Sendable {
    /// The most bytes in the live queue. Batches that do not fit are read from the journal later.
    var queueLimit = 12 << 20
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
