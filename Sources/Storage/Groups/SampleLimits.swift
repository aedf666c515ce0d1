/// How many whole diagnostics of a group are kept. The rest stays counted.
public struct SampleLimits: Sendable, Equatable {
  /// The newest of the group.
  public var newest: Int
  /// The newest of the stack that most of the group have.
  public var typical: Int

  public init(newest: Int = 10, typical: Int = 5) {
    self.newest = max(1, newest)
    self.typical = max(0, typical)
  }

  /// The most of one stack.
  public var all: Int { newest + typical }
}
