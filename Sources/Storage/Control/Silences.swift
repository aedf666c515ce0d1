public import Telemetry

/// A time in which incidents cause no messages: while people know of them, or during maintenance. They open and resolve as
/// usual; one that is still open when the silence ends is announced then.
public struct Silence: Sendable, Hashable, Identifiable {
  /// 0 before it is stored.
  public var id: Int64
  /// Nil for all apps.
  public var app: AppID?
  /// A version (all its builds), or a version and build; nil for all.
  public var release: String?
  /// The name of a rule (`stale`), a metric, or a budget as it is written; nil for all.
  public var rule: String?
  /// It may lie in the future: maintenance.
  public var starts: Timestamp
  public var ends: Timestamp
  public var reason: String
  public var created: Timestamp

  public init(
    id: Int64 = 0, app: AppID? = nil, release: String? = nil, rule: String? = nil, starts: Timestamp,
    ends: Timestamp, reason: String, created: Timestamp
  ) {
    self.id = id
    self.app = app
    self.release = release
    self.rule = rule
    self.starts = starts
    self.ends = ends
    self.reason = reason
    self.created = created
  }

  /// Whether an instant lies in it; its end does not.
  public func isActive(at now: Timestamp) -> Bool { starts <= now && now < ends }
}

/// The silences of a data folder.
public protocol SilenceDirectory: Sendable {
  /// Every silence that has not ended, in the order in which they were added.
  func silences(at now: Timestamp) throws -> [Silence]
  /// Adds one and gives it its number. Throws `ControlError.invalid` when it ends before it starts.
  func addSilence(_ silence: Silence) throws -> Silence
  /// Throws `ControlError.noSuchSilence`.
  func removeSilence(_ id: Int64) throws
}
