public import Core

/// A period in which incidents cause no messages, such as maintenance. Incidents open and resolve as usual. An incident
/// that is still open at the end is announced then.
public struct Silence: Sendable, Hashable, Identifiable {
  /// The id of the silence; 0 before it is stored.
  public var id: Int64
  /// The app whose messages are silenced; nil for all apps.
  public var app: AppID?
  /// The release: a version (all its builds) or a version and build; nil for all.
  public var release: String?
  /// A rule's name (`stale`), a metric, or a budget as written in its file; nil for all.
  public var rule: String?
  /// The id of the only incident that is silenced; nil for all.
  public var incident: String?
  /// The start of the silence, which may be in the future.
  public var starts: Timestamp
  public var ends: Timestamp
  public var reason: String
  public var created: Timestamp

  public init(
    id: Int64 = 0, app: AppID? = nil, release: String? = nil, rule: String? = nil, incident: String? = nil,
    starts: Timestamp, ends: Timestamp, reason: String, created: Timestamp
  ) {
    self.id = id
    self.app = app
    self.release = release
    self.rule = rule
    self.incident = incident
    self.starts = starts
    self.ends = ends
    self.reason = reason
    self.created = created
  }

  /// Whether an instant is within the silence, whose end is excluded.
  public func isActive(at now: Timestamp) -> Bool { starts <= now && now < ends }
}

extension Silence {
  /// Whether this silence applies to a breach at `now`. A silence may name an app, an incident, a release and a rule;
  /// all of those it names must match.
  public func covers(_ breach: Breach, of incident: Incident, at now: Timestamp) -> Bool {
    guard isActive(at: now), app == nil || app == incident.app else { return false }
    if let id = self.incident, id != incident.id { return false }
    if let release, !Self.isRelease(release, breach.key.slice?.release ?? breach.key.version) { return false }
    guard let rule else { return true }
    return rule == breach.key.rule.rawValue || rule == breach.key.subject || rule == breach.key.metric
  }

  /// Whether the release `title` is `wanted`, or a build of it when `wanted` is only a version.
  private static func isRelease(_ wanted: String, _ title: String?) -> Bool {
    guard let title else { return false }
    return title == wanted || title.hasPrefix(wanted + " (")
  }
}

/// The store of silences.
public protocol SilenceDirectory: Sendable {
  /// Every silence that has not ended at `now`, in the order in which they were added.
  func silences(at now: Timestamp) throws -> [Silence]
  /// Adds a silence and returns it with its id. Throws `ControlError.invalid` if it ends before it starts.
  func addSilence(_ silence: Silence) throws -> Silence
  /// Removes a silence. Throws `ControlError.noSuchSilence` if there is none with this id.
  func removeSilence(_ id: Int64) throws
}
