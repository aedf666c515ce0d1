public import Foundation

/// The limits of the queue on disk space and time.
public struct QueueLimits: Sendable, Equatable {
  /// The most bytes of all waiting files; 10 MB.
  public var bytes = 10_000_000
  /// The most waiting files; 500.
  public var files = 500
  /// The most bytes of one file; 4 MB, slightly less than a server's `body-limit`.
  public var fileBytes = 4_000_000
  /// The seconds after which a file is deleted. At most 7 days, because a server remembers an idempotency key that
  /// long; a file that is sent later could count twice.
  public var age: TimeInterval = 7 * 86_400

  /// The limits above.
  public init() {}
}

/// The reason why data was not sent. Each loss is counted and sent as the metric `client.dropped`.
enum LossReason: String, Sendable, CaseIterable {
  /// The queue was full, and the file was the least important.
  case full
  /// The file waited longer than `QueueLimits.age`.
  case expired
  /// The server cannot read the file.
  case refused
  /// The file is larger than `QueueLimits.fileBytes`, or than the server accepts.
  case large
  /// The disk was full, or the folder could not be written.
  case disk
  /// The document had too many series, or a value was negative or not finite.
  case value
}

/// The content of a file. The raw value is part of the file's name.
enum PayloadKind: String, Sendable {
  case measurements = "m"
  case metricKit = "k"
  case sessions = "s"

  /// The least important file is deleted first. Sessions are small, and the crash-free rate needs them.
  var importance: Int {
    switch self {
    case .measurements: return 0
    case .metricKit: return 1
    case .sessions: return 2
    }
  }
}
