/// A number of events and the use in which they occurred.
public struct EventCount: Sendable, Equatable {
  public var events: Double
  public var use: Double

  /// Creates a count. `effect`: the design effect by which both are divided; at least 1.
  public init(events: Double, use: Double, effect: Double = 1) {
    let effect = effect.isFinite ? max(1, effect) : 1
    self.events = events.isFinite ? max(0, events) / effect : 0
    self.use = use.isFinite ? max(0, use) / effect : 0
  }
}
