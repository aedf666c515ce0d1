/// Where a number was measured. Sources that measure the same thing are never added together.
///
/// Raw values are stored in records and rows: never change one.
public enum Source: UInt8, Sendable, Hashable, CaseIterable {
  case metricKit = 1
  case native = 2
  case sentry = 3
  case otlp = 4

  /// The name people read: `MetricKit`, `native`, `Sentry`, `OTLP`.
  public var title: String {
    switch self {
    case .metricKit: "MetricKit"
    case .native: "native"
    case .sentry: "Sentry"
    case .otlp: "OTLP"
    }
  }
}
