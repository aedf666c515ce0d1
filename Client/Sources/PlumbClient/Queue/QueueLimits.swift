import Foundation

/// What the queue may use of the disk, and for how long.
public struct QueueLimits: Sendable, Equatable {
  /// Bytes of all files that wait; 10 MB.
  public var bytes = 10_000_000
  /// Files that wait; 500.
  public var files = 500
  /// Bytes of one file; 4 MB, a little less than a server's `body-limit`.
  public var fileBytes = 4_000_000
  /// Seconds after which a file is deleted, at most the 7 days for which a server remembers an idempotency key: a file
  /// that is sent later could count twice.
  public var age: TimeInterval = 7 * 86_400

  /// The limits above.
  public init() {}
}

/// Why something was not sent. Each is counted, and the counts are sent as the metric `client.dropped`.
enum LossReason: String, Sendable, CaseIterable {
  /// The queue was full, and this was the least important.
  case full
  /// It waited longer than `QueueLimits.age`.
  case expired
  /// The server does not understand it.
  case refused
  /// It is larger than `QueueLimits.fileBytes`, or than the server takes.
  case large
  /// The disk had no room, or the folder could not be written.
  case disk
  /// More series than a document holds, or a value that is negative or not finite.
  case value
}

/// What a file holds. The raw value is part of its name.
enum PayloadKind: String, Sendable {
  case measurements = "m"
  case metricKit = "k"
  case sessions = "s"

  /// Where there is no room the lowest goes first. Sessions are small, and the crash-free rate is nothing without them.
  var importance: Int {
    switch self {
    case .measurements: return 0
    case .metricKit: return 1
    case .sessions: return 2
    }
  }
}
