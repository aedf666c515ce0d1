/// How many whole diagnostics are kept of a group, and of all together. The rest stays counted.
public struct SampleLimits: Sendable, Equatable {
  /// The newest of the group.
  public var newest: Int
  /// The newest of the stack that most of the group have.
  public var typical: Int
  /// All of them together, in bytes on disk.
  public var bytes: Int

  public init(newest: Int = 10, typical: Int = 5, bytes: Int = 1 << 30) {
    self.newest = max(1, newest)
    self.typical = max(0, typical)
    self.bytes = max(1 << 20, bytes)
  }

  /// The most of one stack.
  public var all: Int { newest + typical }
}
