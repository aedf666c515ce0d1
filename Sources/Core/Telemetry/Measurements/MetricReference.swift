/// A catalogue metric by its number, or a client's own metric by its name.
public enum MetricReference: Hashable, Sendable {
  /// A catalogue metric, by its record number.
  case known(UInt16)
  case custom(name: String, unit: MetricUnit, kind: Metric.Kind)

  /// The reference for `name`: the catalogue's metric if there is one, else a custom metric.
  public init(name: String, unit: MetricUnit, kind: Metric.Kind) {
    if let metric = Catalogue.metric(named: name) {
      self = .known(metric.number)
    } else {
      self = .custom(name: name, unit: unit, kind: kind)
    }
  }

  /// The canonical unit of the metric's values.
  public var unit: MetricUnit {
    switch self {
    case .known(let number): Catalogue.metric(number: number)?.unit ?? .count
    case .custom(_, let unit, _): unit
    }
  }

  /// The metric's name, such as `launch.first_draw`.
  public var name: String {
    switch self {
    case .known(let number): Catalogue.name(number: number) ?? "metric-\(number)"
    case .custom(let name, _, _): name
    }
  }

  /// The kind of the metric's rows: a distribution, a ratio, a counter or a rate.
  public var kind: Metric.Kind {
    switch self {
    case .known(let number): Catalogue.kind(number: number) ?? .counter
    case .custom(_, _, let kind): kind
    }
  }
}
