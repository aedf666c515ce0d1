/// One metric's values in a report.
public struct Measurement: Sendable, Equatable {
  public var metric: MetricReference
  /// The screen, host or view to which the values belong; empty when there is none.
  public var label: String
  public var time: MeasurementTime
  public var value: Value
  /// The exact sum, minimum and maximum of a bucketed value; nil when the client does not send them.
  public var extent: Extent?
  /// The cumulative stream the value belongs to; nil when the whole value is new.
  public var accumulation: CumulativeStream?

  public init(
    _ metric: MetricReference, label: String = "", at time: MeasurementTime, _ value: Value, extent: Extent? = nil,
    accumulation: CumulativeStream? = nil
  ) {
    self.metric = metric
    self.label = label
    self.time = time
    self.value = value
    self.extent = extent
    self.accumulation = accumulation
  }

  /// A measured value, in the metric's canonical unit.
  public enum Value: Sendable, Equatable {
    /// Raw values, each finite and not negative.
    case samples([Double])
    /// A bucketed histogram with the client's own bucket edges.
    case spans([Span])
    /// An exponential histogram with the client's scale, or `finestScale` if that is coarser.
    case exponential(ExponentialBuckets)
    /// A sum over the report's time, such as the seconds in the foreground.
    case counter(Double)

    /// The number of samples or buckets; 1 for a sum.
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

/// The time of a measurement: MetricKit sends the device's calendar day, other clients an instant.
public enum MeasurementTime: Hashable, Sendable {
  case day(CalendarDay)
  case instant(Timestamp)
}

/// A bucket of a client's own histogram: `count` values in [low, high). `high` may be infinite; low == high is one
/// value.
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
  /// The value with its buckets narrowed to the known minimum and maximum.
  public func narrowed(to extent: Extent?) -> Self {
    guard case .spans(var spans) = self else { return self }
    spans.narrow(to: extent)
    return .spans(spans)
  }
}

extension [Span] {
  /// Narrows buckets that start at 0 or have no upper edge to the known minimum and maximum. Other buckets keep their
  /// edges, so that those of one metric still merge.
  public mutating func narrow(to extent: Extent?) {
    guard let extent else { return }
    let (minimum, maximum) = (extent.minimum ?? extent.lowerBound, extent.maximum ?? extent.upperBound)
    for index in indices {
      let span = self[index]
      if span.low == 0, let minimum, minimum > 0, minimum <= span.high { self[index].low = minimum }
      if span.high == .infinity, let maximum, maximum >= self[index].low, maximum < .infinity {
        self[index].high = maximum
      }
    }
  }
}

/// The exact sum, minimum and maximum of bucketed values, in the metric's canonical unit.
public struct Extent: Sendable, Hashable {
  public var sum: Double
  /// The smallest value of a measurement, in its unit; nil when unknown.
  public var minimum: Double?
  /// The largest value of a measurement, in its unit; nil when unknown.
  public var maximum: Double?
  /// A lower bound of a measurement's values, set when the smallest value itself is unknown.
  public var lowerBound: Double?
  /// An upper bound of a measurement's values, set when the largest value itself is unknown.
  public var upperBound: Double?

  public init(sum: Double, minimum: Double? = nil, maximum: Double? = nil) {
    self.sum = sum
    self.minimum = minimum
    self.maximum = maximum
  }

  /// The extent of the values that were added since an earlier extent of the same stream; nil when their sum is
  /// unknown. A minimum or maximum that changed is one of the new values; an unchanged one only bounds them.
  public func increase(since earlier: Extent?) -> Extent? {
    guard let earlier, sum >= earlier.sum else { return nil }
    var increase = Extent(sum: sum - earlier.sum)
    if minimum == earlier.minimum { increase.lowerBound = minimum } else { increase.minimum = minimum }
    if maximum == earlier.maximum { increase.upperBound = maximum } else { increase.maximum = maximum }
    return increase
  }
}
