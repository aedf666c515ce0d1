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

extension Measurement.Value {
  /// The buckets that reach down to 0 or have no end, cut to the smallest and largest value where these are known. Other
  /// buckets keep their edges, so that those of one metric still merge.
  public func narrowed(to extent: Extent?) -> Self {
    guard let extent, case .spans(var spans) = self else { return self }
    let (minimum, maximum) = (extent.minimum ?? extent.lowerBound, extent.maximum ?? extent.upperBound)
    for index in spans.indices {
      let span = spans[index]
      if span.low == 0, let minimum, minimum > 0, minimum <= span.high { spans[index].low = minimum }
      if span.high == .infinity, let maximum, maximum >= spans[index].low, maximum < .infinity {
        spans[index].high = maximum
      }
    }
    return .spans(spans)
  }
}

/// The exact sum and ends of bucketed values, in the metric's canonical unit.
public struct Extent: Sendable, Hashable {
  public var sum: Double
  /// The smallest value; nil when it is not known.
  public var minimum: Double?
  /// The largest value; nil when it is not known.
  public var maximum: Double?
  /// What no value lies below, where the smallest itself is not known.
  public var lowerBound: Double?
  /// What no value lies above, where the largest itself is not known.
  public var upperBound: Double?

  public init(sum: Double, minimum: Double? = nil, maximum: Double? = nil) {
    self.sum = sum
    self.minimum = minimum
    self.maximum = maximum
  }

  /// What is known of the values that came since an earlier extent of the same stream; nil when their sum is not. An end
  /// that moved is one of theirs; one that did not move only bounds them.
  public func increase(since earlier: Extent?) -> Extent? {
    guard let earlier, sum >= earlier.sum else { return nil }
    var increase = Extent(sum: sum - earlier.sum)
    if minimum == earlier.minimum { increase.lowerBound = minimum } else { increase.minimum = minimum }
    if maximum == earlier.maximum { increase.upperBound = maximum } else { increase.maximum = maximum }
    return increase
  }
}
