/// Why iOS ended the app, as MetricKit counts it.
///
/// Raw values are part of the metrics' record numbers: never change one.
public enum ExitReason: UInt16, Sendable, CaseIterable {
  case normal = 0
  case memoryLimit = 1
  case cpuLimit = 2
  case badAccess = 3
  case abnormal = 4
  case illegalInstruction = 5
  case watchdog = 6
  case memoryPressure = 7
  case suspendedWithLockedFile = 8
  case backgroundTaskTimeout = 9
  case backgroundURLSessionTimeout = 10
  case backgroundFetchTimeout = 11

  /// The part of the metric's name for this reason: `memory_limit`.
  public var name: String {
    switch self {
    case .normal: "normal"
    case .memoryLimit: "memory_limit"
    case .cpuLimit: "cpu_limit"
    case .badAccess: "bad_access"
    case .abnormal: "abnormal"
    case .illegalInstruction: "illegal_instruction"
    case .watchdog: "watchdog"
    case .memoryPressure: "memory_pressure"
    case .suspendedWithLockedFile: "suspended_with_locked_file"
    case .backgroundTaskTimeout: "background_task_timeout"
    case .backgroundURLSessionTimeout: "background_url_session_timeout"
    case .backgroundFetchTimeout: "background_fetch_timeout"
    }
  }

  /// The name with spaces, for pages: `memory limit`.
  public var title: String { String(name.map { $0 == "_" ? " " : $0 }) }

  /// The key in MetricKit's JSON, spelled exactly.
  public var metricKit: String {
    switch self {
    case .normal: "cumulativeNormalAppExitCount"
    case .memoryLimit: "cumulativeMemoryResourceLimitExitCount"
    case .cpuLimit: "cumulativeCPUResourceLimitExitCount"
    case .badAccess: "cumulativeBadAccessExitCount"
    case .abnormal: "cumulativeAbnormalExitCount"
    case .illegalInstruction: "cumulativeIllegalInstructionExitCount"
    case .watchdog: "cumulativeAppWatchdogExitCount"
    case .memoryPressure: "cumulativeMemoryPressureExitCount"
    case .suspendedWithLockedFile: "cumulativeSuspendedWithLockedFileExitCount"
    case .backgroundTaskTimeout: "cumulativeBackgroundTaskAssertionTimeoutExitCount"
    case .backgroundURLSessionTimeout: "cumulativeBackgroundURLSessionCompletionTimeoutExitCount"
    case .backgroundFetchTimeout: "cumulativeBackgroundFetchCompletionTimeoutExitCount"
    }
  }

  /// The record number of the metric that counts this reason in the foreground.
  public var foregroundMetric: UInt16 { 700 + rawValue }
  /// The record number of the metric that counts this reason in the background.
  public var backgroundMetric: UInt16 { 750 + rawValue }
}
