/// How much of everything an app may have in a store. What exceeds a bound is counted under "(other)", or replaces the oldest
/// or least used.
public struct StoreLimits: Sendable {
  public var names = NameLimits()
  /// Combinations of release, system and device. Of new ones beyond them, system and device are "(other)".
  public var cells = 100_000
  /// Different stacks. The least frequent are dropped.
  public var signatures = 20_000
  /// Signatures that one batch may add once there are as many as may be.
  public var newSignatures = 500
  /// Binaries that diagnostics name, over all builds.
  public var images = 50_000
  /// Diagnostics, of which the oldest go first.
  public var diagnostics = 1_000_000
  /// Sessions that are remembered, of which the longest unseen go first.
  public var sessions = 20_000_000
  /// Cumulative streams, of which the longest unseen are dropped first. A stream that continues after it was dropped counts
  /// again from its start, so the bound must exceed the number of streams that are open at once.
  public var streams = 200_000
  /// Rows of what is counted beside the numbers, for one day.
  public var tallyRows = 1_000
  /// Names and slices that are remembered in memory, of all apps together.
  public var cached = 40_000
  /// Rows of retired names that one batch may move; the rest moves with the next compaction.
  public var movedRows = 3_000

  public init() {}
}

/// How many different names of a kind an app may have, and how fast they may change.
public struct NameLimits: Sendable {
  public var environments = 20
  public var releases = 500
  public var systems = 200
  public var devices = 1_000
  public var metrics = 200
  /// Of each metric.
  public var labels = 200
  public var clients = 200
  /// Names of a kind that one batch may replace by more used ones, and as many again by new ones.
  public var admissions = 4

  public init() {}

  func most(_ kind: NameKind) -> Int {
    switch kind {
    case .environment: environments
    case .release: releases
    case .system: systems
    case .device: devices
    case .metric: metrics
    case .label: labels
    case .client: clients
    }
  }
}
