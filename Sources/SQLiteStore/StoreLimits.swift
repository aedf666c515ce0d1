public import Storage

/// The limits on an app's data in a store. Data beyond a limit is counted as "(other)", or replaces the oldest or least
/// used data.
public struct StoreLimits: Sendable {
  var names = NameLimits()
  /// The maximum number of combinations of release, OS version, device and attribute. In additional ones OS version and
  /// device become "(other)".
  var cells = 100_000
  /// The maximum number of signatures (different stacks). The least used are deleted.
  var signatures = 20_000
  /// The maximum number of signatures that one batch may add once the app has `signatures` of them.
  var newSignatures = 500
  /// The maximum number of binaries in diagnostics, over all builds.
  var images = 50_000
  /// The maximum number of diagnostics. The oldest are deleted first.
  var diagnostics = 1_000_000
  /// The maximum number of cumulative streams. Those without a value for the longest time are evicted first. If an
  /// evicted stream continues, its next value counts nothing (`StreamEvictionTable`), so the limit should exceed the number
  /// of streams that are open at once.
  var streams = 200_000
  /// The maximum number of installations. Those without a session for the longest time are forgotten first.
  var installations = 5_000_000
  /// The maximum number of tally rows per day.
  var tallyRows = 1_000
  /// The maximum number of names and slices in memory, for all apps together.
  var cached = 40_000
  /// The retention periods of each kind of data.
  public var retention = Retention()
  /// The maximum number of rows of retired names that one batch moves; the next compaction moves the rest.
  var movedRows = 3_000

  /// The maximum size of waiting blocks in the outbox of a ledger, as zstd frames in bytes. Beyond it batches are
  /// refused with `OutboxFull` and stay in the journal.
  var outboxBytes = 1 << 30

  public init() {}
}

/// The maximum number of names of each kind per app, and the rate at which they may change.
struct NameLimits: Sendable {
  var environments = 20
  var releases = 500
  var systems = 200
  var devices = 1_000
  /// The maximum number of values of an app's attribute.
  var attributes = 100
  var metrics = 200
  /// The maximum number of labels of each metric.
  var labels = 200
  var clients = 200
  /// The maximum number of names of a kind that one batch may replace by more used ones, and the same number by new
  /// ones.
  var admissions = 4

  init() {}

  func most(_ kind: NameKind) -> Int {
    switch kind {
    case .environment: environments
    case .release: releases
    case .system: systems
    case .device: devices
    case .attribute: attributes
    case .metric: metrics
    case .label: labels
    case .client: clients
    }
  }
}
