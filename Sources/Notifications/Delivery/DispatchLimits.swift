/// How long and how often is tried.
public struct DispatchLimits: Sendable, Equatable {
  /// Everything together, in seconds.
  public var total = 60.0
  /// How often one request is sent, in all.
  public var attempts = 3
  /// The pause behind the first failure, in seconds; each further one is twice as long.
  public var firstPause = 1.0
  /// The longest pause, also when a receiver asks for more; then the next run goes on.
  public var longestPause = 10.0

  /// A minute, three attempts, pauses of 1 and 2 seconds.
  public init() {}
}
