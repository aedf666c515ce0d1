internal import Core

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
