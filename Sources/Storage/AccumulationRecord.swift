public import Telemetry

/// One reading of a stream that repeats all it counted since its start.
public struct AccumulationRecord: Sendable, Equatable {
  public var key: CellKey
  public var metric: MetricReference
  public var label: String
  public var accumulation: Accumulation
  /// When the reading was taken: one that is not later than the stream's last one says nothing new.
  public var time: Timestamp
  /// The bin that gains what is new.
  public var bin: TimeBin
  /// All since the start.
  public var value: Measurement.Value
  public var extent: Extent?
  public var received: Timestamp

  public init(
    key: CellKey, metric: MetricReference, label: String, accumulation: Accumulation, time: Timestamp, bin: TimeBin,
    value: Measurement.Value, extent: Extent?, received: Timestamp
  ) {
    self.key = key
    self.metric = metric
    self.label = label
    self.accumulation = accumulation
    self.time = time
    self.bin = bin
    self.value = value
    self.extent = extent
    self.received = received
  }
}
