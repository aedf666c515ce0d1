import Telemetry

extension ExitReason {
  /// What it means for people, and where to look.
  var meaning: String {
    switch self {
    case .normal: "The app was left, or ended in order."
    case .memoryLimit: "It used more memory than one app may."
    case .cpuLimit: "It kept the processor busy for too long."
    case .badAccess: "A crash: memory that was not its own."
    case .abnormal: "A crash: an abort, such as an uncaught exception."
    case .illegalInstruction: "A crash: a trap, such as a forced unwrap of nil."
    case .watchdog: "It did not answer in time, mostly while launching or resuming."
    case .memoryPressure:
      "The system needed its memory for others. Common in the background; a small suspended app lives longer."
    case .suspendedWithLockedFile: "It held a file or database lock while it was suspended."
    case .backgroundTaskTimeout: "A background task was not ended in time."
    case .backgroundURLSessionTimeout: "It did not finish handling a background transfer in time."
    case .backgroundFetchTimeout: "A background fetch was not finished in time."
    }
  }
}
