public import Core

/// A stored row with its names resolved.
public struct MetricRow: Sendable {
  public var metric: MetricReference
  public var label: String
  public var source: Source
  public var bin: TimeBin
  /// The member of the query's dimension; empty without one.
  public var member: String
  public var aggregate: Aggregate

  public init(
    metric: MetricReference, label: String, source: Source, bin: TimeBin, member: String, aggregate: Aggregate
  ) {
    self.metric = metric
    self.label = label
    self.source = source
    self.bin = bin
    self.member = member
    self.aggregate = aggregate
  }
}
