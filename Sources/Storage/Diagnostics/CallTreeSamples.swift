public import Core

/// The stored call trees of hangs, CPU exceptions or disk writes of a slice. They are a random sample in which every
/// diagnostic of a week had the same chance, unlike the full samples of groups, which are the newest.
public struct CallTreeSamples: Sendable, Equatable {
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
