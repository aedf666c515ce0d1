public import Core

/// The environments and releases of an app, and the position up to which its records are applied.
public struct AppInventory: Sendable {
  /// The environments with data by name, each with its newest day.
  public var environments: [String: CalendarDay]
  public var releases: [KnownRelease]
  public var lastReceived: Timestamp?
  /// The sequence up to which records are applied.
  public var digestedThrough: Int64

  public init(
    environments: [String: CalendarDay] = [:], releases: [KnownRelease] = [], lastReceived: Timestamp? = nil,
    digestedThrough: Int64 = 0
  ) {
    self.environments = environments
    self.releases = releases
    self.lastReceived = lastReceived
    self.digestedThrough = digestedThrough
  }
}
