/// The kind of client a number came from. Numbers of different sources are never added together.
///
/// Raw values are stored in records and rows: never change one.
public enum Source: UInt8, Sendable, Hashable, CaseIterable {
  case metricKit = 1
  case native = 2
  case sentry = 3
  case otlp = 4
  /// An Apple crash report file, `.ips` or `.crash`, uploaded by hand.
  case appleReport = 5

  /// The name on pages: `MetricKit`, `native`, `Sentry`, `OTLP`, `Apple report`.
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
