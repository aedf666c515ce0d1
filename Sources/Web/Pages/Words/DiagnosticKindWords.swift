import Analysis
import Core
import Storage

/// The names of kinds of diagnostics.
enum DiagnosticKindWords {
  /// One diagnostic: `Disk-write exception`.
  static func title(_ kind: DiagnosticKind) -> String {
    switch kind {
    case .crash: "Crash"
    case .hang: "Hang"
    case .cpuException: "CPU exception"
    case .diskWriteException: "Disk-write exception"
    case .launchFailure: "Slow launch"
    case .memoryException: "Memory exception"
    case .error: "Error"
    }
  }

  /// A tab of all groups of the kind.
  static func tab(_ kind: DiagnosticKind) -> String {
    switch kind {
    case .crash: "Crashes"
    case .hang: "Hangs"
    case .cpuException: "CPU"
    case .diskWriteException: "Disk writes"
    case .launchFailure: "Slow launches"
    case .memoryException: "Memory"
    case .error: "Errors"
    }
  }

  /// One report, within a sentence: `hang report`.
  static func report(_ kind: DiagnosticKind) -> String {
    switch kind {
    case .crash: "crash report"
    case .hang: "hang report"
    case .cpuException: "CPU report"
    case .diskWriteException: "disk-write report"
    case .launchFailure: "slow-launch report"
    case .memoryException: "memory report"
    case .error: "error report"
    }
  }
}
