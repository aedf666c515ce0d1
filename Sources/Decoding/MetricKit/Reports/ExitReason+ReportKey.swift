internal import Telemetry

extension ExitReason {
  /// The reason that a member of iOS 27's termination metrics counts, told by its words: `memoryResourceLimit`,
  /// `normalAppExitCount`; nil for one that the older payloads did not have.
  init?(reportKey key: String) {
    let key = key.lowercased()
    let stems: [(String, ExitReason)] = [
      ("memorypressure", .memoryPressure), ("memory", .memoryLimit), ("watchdog", .watchdog),
      ("badaccess", .badAccess), ("illegalinstruction", .illegalInstruction), ("abnormal", .abnormal),
      ("normal", .normal), ("lock", .suspendedWithLockedFile), ("urlsession", .backgroundURLSessionTimeout),
      ("fetch", .backgroundFetchTimeout), ("task", .backgroundTaskTimeout), ("cpu", .cpuLimit),
    ]
    guard let reason = stems.first(where: { key.contains($0.0) })?.1 else { return nil }
    self = reason
  }
}
