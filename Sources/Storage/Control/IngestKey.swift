public import Core

/// An ingest key. It ships inside an app and only permits sending the app's data.
public struct IngestKey: Sendable, Hashable {
  /// The key: 32 lower-case hexadecimal digits.
  public let key: String
  /// The only app the key is valid for.
  public let app: AppID
  /// The time at which the key was created.
  public var created: Timestamp
  /// The time from which the key is refused; nil if it does not expire.
  public var retires: Timestamp?

  /// Creates a key from its stored values.
  public init(key: String, app: AppID, created: Timestamp, retires: Timestamp? = nil) {
    self.key = key
    self.app = app
    self.created = created
    self.retires = retires
  }

  /// The default number of days for which an old key remains valid after a rotation. It is long because installed apps
  /// update slowly.
  public static let defaultOverlapDays = 14

  /// Whether the key is valid at `now`.
  public func isValid(at now: Timestamp) -> Bool { retires.map { now < $0 } ?? true }
}
