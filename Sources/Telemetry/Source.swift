/// Where a number was measured. Sources that measure the same thing are never added together.
///
/// Raw values are stored in records and rows: never change one.
public enum Source: UInt8, Sendable, Hashable, CaseIterable {
  case metricKit = 1
  case native = 2
  case sentry = 3
  case otlp = 4
  /// A crash report of Apple's, `.ips` or `.crash`, that somebody sent by hand.
  case appleReport = 5

  /// The name people read: `MetricKit`, `native`, `Sentry`, `OTLP`, `Apple report`.
  public var title: String {
    switch self {
    case .metricKit: "MetricKit"
    case .native: "native"
    case .sentry: "Sentry"
    case .otlp: "OTLP"
    case .appleReport: "Apple report"
    }
  }
}
