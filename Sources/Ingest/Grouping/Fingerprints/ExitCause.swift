public import Core
public import Storage

/// The relation of a group of diagnostics to the exits that MetricKit counts by reason.
public struct ExitCause: Sendable, Equatable {
  public var reason: ExitReason
  /// Whether the group's diagnostics report such exits. False for diagnostics that may precede one: a hang ends with
  /// the watchdog only if it lasts.
  public var isReport: Bool

  init(_ reason: ExitReason, isReport: Bool = true) {
    self.reason = reason
    self.isReport = isReport
  }

  /// The exits that a group explains; nil if MetricKit counts no such exits.
  public init?(_ group: StoredGroup) {
    switch group.kind {
    case .crash: self.init(crash: group.exception)
    case .hang, .launchFailure: self.init(.watchdog, isReport: false)
    case .cpuException: self.init(.cpuLimit, isReport: false)
    case .memoryException: self.init(.memoryLimit)
    case .diskWriteException, .error: return nil
    }
  }

  /// Creates the cause from the title that `DiagnosticCause` gives a crash.
  private init?(crash title: String) {
    switch title {
    case DiagnosticCause.watchdog.title: self.init(.watchdog)
    case DiagnosticCause.lockedFile.title: self.init(.suspendedWithLockedFile)
    case "EXC_BAD_ACCESS", "SIGSEGV", "SIGBUS", DiagnosticCause.stackOverflow.title: self.init(.badAccess)
    case "EXC_BREAKPOINT", "EXC_BAD_INSTRUCTION", "SIGTRAP", "SIGILL": self.init(.illegalInstruction)
    case "EXC_CRASH", "SIGABRT": self.init(.abnormal)
    case DiagnosticCause.jetsamTitle(ofCode: Self.perProcessLimit): self.init(.memoryLimit)
    case let title where title.hasPrefix("Jetsam termination"): self.init(.memoryPressure)
    case let title where title.hasSuffix("Exception"): self.init(.abnormal)
    default: return nil
    }
  }

  /// The code of a Jetsam event of a process that exceeds its own limit (`JETSAM_REASON_MEMORY_PERPROCESSLIMIT` of
  /// XNU).
  private static let perProcessLimit: UInt64 = 7
}
