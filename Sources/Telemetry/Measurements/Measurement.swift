/// One measured thing of a report.
public struct Measurement: Sendable, Equatable {
  public var metric: MetricReference
  /// The screen, host or view it was measured on; empty when there is none.
  public var label: String
  public var time: MeasurementTime
  public var value: Value
  /// What a source that only sends buckets knows exactly; nil when it does not say.
  public var extent: Extent?
  /// Set when the value repeats what was sent before; nil when all of it is new.
  public var accumulation: Accumulation?

  public init(
    _ metric: MetricReference, label: String = "", at time: MeasurementTime, _ value: Value, extent: Extent? = nil,
    accumulation: Accumulation? = nil
  ) {
    self.metric = metric
    self.label = label
    self.time = time
    self.value = value
    self.extent = extent
    self.accumulation = accumulation
  }

  /// What was measured. Numbers are in the metric's canonical unit.
  public enum Value: Sendable, Equatable {
    /// Raw values, none negative, each finite.
    case samples([Double])
    /// A bucketed histogram, as it came.
    case spans([Span])
    /// An exponential histogram, as it came.
    case exponential(ExponentialBuckets)
    /// A sum, such as the seconds in the foreground.
    case counter(Double)

    /// Samples or buckets.
    public var partCount: Int {
      switch self {
      case .samples(let samples): samples.count
      case .spans(let spans): spans.count
      case .exponential(let histogram): histogram.buckets.count
      case .counter: 1
      }
    }
  }
}

/// A catalogue entry, or a name that only the client knows.
public enum MetricReference: Hashable, Sendable {
  /// The record number of a catalogue entry.
  case known(UInt16)
  case custom(name: String, unit: MetricUnit, kind: Metric.Kind)

  /// The reference for `name`, from the catalogue when it has it.
  public init(name: String, unit: MetricUnit, kind: Metric.Kind) {
    if let metric = Catalogue.metric(named: name) {
      self = .known(metric.number)
    } else {
      self = .custom(name: name, unit: unit, kind: kind)
    }
  }

  /// The canonical unit of its values.
  public var unit: MetricUnit {
    switch self {
    case .known(let number): Catalogue.metric(number: number)?.unit ?? .count
    case .custom(_, let unit, _): unit
    }
  }

  /// `launch.first_draw`
  public var name: String {
    switch self {
    case .known(let number): Catalogue.metric(number: number)?.name ?? "metric-\(number)"
    case .custom(let name, _, _): name
    }
  }

  /// Whether its rows hold percentiles or a sum.
  public var kind: Metric.Kind {
    switch self {
    case .known(let number): Catalogue.metric(number: number)?.kind ?? .counter
    case .custom(_, _, let kind): kind
    }
  }
}

/// When a reading was taken: MetricKit knows the device's calendar day, other clients the instant.
public enum MeasurementTime: Hashable, Sendable {
  case day(CalendarDay)
  case instant(Timestamp)
}

/// A bucket of a source's own histogram: `count` values in [low, high). `high` may be infinite; low == high is one value.
public struct Span: Hashable, Sendable {
  public var low: Double
  public var high: Double
  public var count: Int

  @inlinable public init(low: Double, high: Double, count: Int) {
    self.low = low
    self.high = high
    self.count = count
  }
}
