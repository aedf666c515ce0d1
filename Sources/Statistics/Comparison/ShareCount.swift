/// k of n on the effective sample, as the difference of two shares needs it.
public struct ShareCount: Sendable, Equatable {
  /// Events of the kind counted, real after division by the design effect.
  public var k: Double
  public var n: Double

  /// `deff` is the design effect of the whole release: within a class of devices there may be too few events to see it.
  public init(k: Double, n: Double, deff: Double) {
    let deff = deff.isFinite ? max(1, deff) : 1
    self.n = n.isFinite ? max(0, n) / deff : 0
    self.k = max(0, min(k.isFinite ? k / deff : 0, self.n))
  }

  public var share: Double { n > 0 ? k / n : 0 }
}
