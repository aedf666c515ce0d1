internal import Core

/// The number of diagnostics with a full sample (body and call stacks), per group and in total. All others are only
/// counted.
public struct SampleLimits: Sendable, Equatable {
  /// The number of newest samples per group.
  public var newest: Int
  /// The number of newest samples with the group's most frequent stack.
  public var typical: Int
  /// The total size of all samples, in bytes on disk.
  public var bytes: Int

  public init(newest: Int = 10, typical: Int = 5, bytes: Int = 1 << 30) {
    self.newest = max(1, newest)
    self.typical = max(0, typical)
    self.bytes = max(1 << 20, bytes)
  }

  /// The maximum number of samples of one group: the newest and those with its most frequent stack. It is also the
  /// limit of one signature.
  public var all: Int { newest + typical }
}
