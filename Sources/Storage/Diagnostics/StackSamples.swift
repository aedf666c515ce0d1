public import Core

/// The stored call trees of hangs, CPU exceptions or disk writes of a slice. They are a random sample in which every
/// diagnostic of a week had the same chance, unlike the full samples of groups, which are the newest.
public struct StackSamples: Sendable, Equatable {
  /// The call tree of one diagnostic.
  public struct Stack: Sendable, Equatable {
    /// The diagnostic's identity.
    public var identity: UInt64
    /// The hang's duration (ms), the CPU time (s) or the bytes written (B); nil if the client did not send it.
    public var quantity: Double?
    /// The keyed hash of the user's id; nil when the client sent none.
    public var user: UInt64?
    /// The number of diagnostics for which this one stands.
    public var weight: Double
    /// The recorded call tree as a zstd frame.
    public var calls: [UInt8]

    public init(identity: UInt64, quantity: Double?, user: UInt64?, weight: Double, calls: [UInt8]) {
      self.identity = identity
      self.quantity = quantity
      self.user = user
      self.weight = weight
      self.calls = calls
    }
  }

  /// The number of diagnostics of the slice, with and without a stored call tree.
  public var diagnostics: Int
  public var stacks: [Stack]

  public init(diagnostics: Int, stacks: [Stack]) { (self.diagnostics, self.stacks) = (diagnostics, stacks) }
}

extension DiagnosticKind {
  /// Whether diagnostics of this kind contain many samples of a thread, so that their call trees show where time goes.
  public var isSampled: Bool { self == .hang || self == .cpuException || self == .diskWriteException }
}

/// A diagnostic of a group with a full sample.
public struct GroupSample: Sendable, Equatable {
  public var diagnostic: StoredDiagnostic
  /// Whether its stack is the group's most frequent one.
  public var isTypical: Bool
  /// Whether it is the oldest with a full sample.
  public var isOldest: Bool

  public init(_ diagnostic: StoredDiagnostic, isTypical: Bool = false, isOldest: Bool = false) {
    self.diagnostic = diagnostic
    self.isTypical = isTypical
    self.isOldest = isOldest
  }
}

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
