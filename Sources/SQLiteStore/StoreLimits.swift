public import Storage

/// The limits on an app's data in a store. What exceeds a limit is counted as "(other)", or replaces the oldest or
/// least used.
public struct StoreLimits: Sendable {
  var names = NameLimits()
  /// The most combinations of release, system, device and attribute. In further ones system and device become "(other)".
  var cells = 100_000
  /// The most signatures (different stacks). The least used are deleted.
  var signatures = 20_000
  /// The most signatures that one batch may add once the app has as many as `signatures`.
  var newSignatures = 500
  /// The most binaries that occur in diagnostics, over all builds.
  var images = 50_000
  /// The most diagnostics. The oldest are deleted first.
  var diagnostics = 1_000_000
  /// The most cumulative streams. Those without a value for the longest time are deleted first. Of a stream
  /// that continues after that, the next value counts nothing (`StreamEviction`), so the limit should exceed the number of
  /// streams that are open at once.
  var streams = 200_000
  /// The most tally rows of one day.
  var tallyRows = 1_000
  /// The most names and slices in memory, for all apps together.
  var cached = 40_000
  /// How long each kind of data is kept.
  public var retention = Retention()
  /// The most rows of retired names that one batch moves; the rest moves with the next compaction.
  var movedRows = 3_000

  /// The most bytes of blocks that wait in the outbox of a ledger, as zstd frames. Beyond it batches are refused with
  /// `OutboxFull`, and stay in the journal.
  var outboxBytes = 1 << 30

  public init() {}
}

/// The error for a batch of a ledger while the store that has the rows has not taken the ones before. The same batch can be
/// applied later.
struct OutboxFull: Error, Sendable, Equatable, CustomStringConvertible {
  /// The bytes of blocks that wait.
  let waiting: Int
  let most: Int

  var description: String {
    "\(waiting >> 20) MiB of changes wait for ClickHouse, at most \(most >> 20) MiB may: nothing is digested until some are stored"
  }
}

/// The most names of each kind per app, and how fast they may change.
struct NameLimits: Sendable {
  var environments = 20
  var releases = 500
  var systems = 200
  var devices = 1_000
  /// The most values of an app's attribute.
  var attributes = 100
  var metrics = 200
  /// The most labels of each metric.
  var labels = 200
  var clients = 200
  /// The most names of a kind that one batch may replace by more used ones, and as many again by new ones.
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
