/// The kind of problem a diagnostic reports. Raw values are stored: never change one.
public enum DiagnosticKind: UInt8, Sendable, CaseIterable {
  case crash = 1
  case hang = 2
  case cpuException = 3
  case diskWriteException = 4
  case launchFailure = 5
  case memoryException = 6
  /// A handled error: the app continued to run.
  case error = 7

  /// The name used in metrics and the API: `crash`, `hang`, `cpu_exception`, `disk_write_exception`, `launch_failure`,
  /// `memory_exception`, `error`.
  public var name: String {
    switch self {
    case .crash: "crash"
    case .hang: "hang"
    case .cpuException: "cpu_exception"
    case .diskWriteException: "disk_write_exception"
    case .launchFailure: "launch_failure"
    case .memoryException: "memory_exception"
    case .error: "error"
    }
  }

  /// The counter in which diagnostics of this kind are counted: `crash.count`.
  public var counter: MetricReference { MetricReference(name: name + ".count", unit: .count, kind: .counter) }
}
