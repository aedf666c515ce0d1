/// The outcome of a session. The counts of the five outcomes add up to the number of sessions.
///
/// Raw values are stored: never change one.
public enum SessionOutcome: UInt8, Sendable, CaseIterable {
  /// The session is running, or ended normally.
  case healthy = 0
  /// The session had handled errors.
  case errored = 1
  /// The session had an unhandled error that the app survived.
  case unhandled = 2
  /// The session ended abnormally: killed, frozen, or without a known end.
  case abnormal = 3
  case crashed = 4

  /// The name in the API: `healthy`, `errored`, `unhandled`, `abnormal`, `crashed`.
  public var name: String {
    switch self {
    case .healthy: "healthy"
    case .errored: "errored"
    case .unhandled: "unhandled"
    case .abnormal: "abnormal"
    case .crashed: "crashed"
    }
  }
}
