import Telemetry

/// Spans kept as they came, up to a limit; beyond it edges snap outward to bin edges, coarser until they fit.
///
/// The coarseness is the smallest at which all that ever came fits, and snapping composes, so the result does not
/// depend on the order in which spans arrived or parts were merged.
struct SpanCounts: Equatable, Sendable {
  /// The most distinct spans one series keeps.
  static let limit = 1_024
  /// At this coarseness every span lies between 0, 1 and infinity.
  static let coarsest: UInt8 = 18

  private(set) var counts = SortedCounts<Span>()
  /// 0: edges as they came.
  private(set) var coarseness: UInt8 = 0

  var entries: [Span] { counts.entries }

  init() {}

  /// What `entries` and `coarseness` of another were; the entries are in order, each once.
  init(sorted entries: [Span], coarseness: UInt8) {
    counts = SortedCounts(sorted: entries)
    self.coarseness = coarseness
  }

  mutating func add(_ span: Span) {
    counts.add(coarseness == 0 ? span : span.snapped(coarseness))
    if counts.entries.count > Self.limit { coarsen() }
  }

  mutating func merge(_ other: SpanCounts) {
    let level = max(coarseness, other.coarseness)
    raise(to: level)
    if other.coarseness == level {
      counts.merge(other.counts)
    } else {
      var other = other
      other.raise(to: level)
      counts.merge(other.counts)
    }
    if counts.entries.count > Self.limit { coarsen() }
  }

  private mutating func coarsen() {
    while counts.entries.count > Self.limit, coarseness < Self.coarsest { raise(to: coarseness + 1) }
  }

  private mutating func raise(to level: UInt8) {
    guard level > coarseness else { return }
    coarseness = level
    counts = SortedCounts(unsorted: counts.entries.map { $0.snapped(level) })
  }
}
