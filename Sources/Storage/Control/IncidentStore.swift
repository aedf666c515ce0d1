public import Telemetry

/// The stored state of an app's alerts, on which the next evaluation is based.
public struct AlertState: Sendable, Equatable {
  /// A number that grows with every stored change, by which concurrent changes are recognised.
  public var version: Int64
  /// The journal sequence up to which records were part of the last evaluation.
  public var digestedThrough: Int64
  /// A fingerprint of the budgets and settings used in the last evaluation.
  public var rules: String
  /// The open incidents, oldest first.
  public var open: [Incident]

  public init(version: Int64 = 0, digestedThrough: Int64 = -1, rules: String = "", open: [Incident] = []) {
    self.version = version
    self.digestedThrough = digestedThrough
    self.rules = rules
    self.open = open
  }
}

/// The result of an evaluation, stored as a whole or not at all.
public struct AlertDecision: Sendable, Equatable {
  /// The incidents that opened or changed.
  public var incidents: [Incident]
  /// The messages about these changes.
  public var messages: [StoredMessage]
  public var digestedThrough: Int64
  public var rules: String

  public init(
    incidents: [Incident] = [], messages: [StoredMessage] = [], digestedThrough: Int64, rules: String
  ) {
    self.incidents = incidents
    self.messages = messages
    self.digestedThrough = digestedThrough
    self.rules = rules
  }
}

/// Stores incidents and the state of alert evaluations.
public protocol IncidentStore: Sendable {
  /// The alert state of an app, or of the whole installation (`Incident.folder`).
  func alertState(of app: AppID) throws -> AlertState
  /// Stores a decision and its messages in one durable transaction. Returns false and stores nothing if the state's
  /// version is no longer `version`, because another process has stored a decision since.
  func decide(_ decision: AlertDecision, of app: AppID, version: Int64) throws -> Bool
  /// Open incidents and those closed after an instant, newest first; of all apps if `app` is nil.
  func incidents(of app: AppID?, closedAfter: Timestamp) throws -> [Incident]
  /// The number of open incidents of each app that has any, by bundle identifier.
  func openIncidentCounts() throws -> [String: Int]
  /// What became of the last message about each incident on each channel: by incident, then by channel. Messages are
  /// kept 30 days.
  func lastDeliveries() throws -> [String: [String: StoredMessage.Delivery]]
  /// The incident with this id; nil when there is none.
  func incident(_ id: String) throws -> Incident?
  /// Deletes incidents closed and silences ended before `closedBefore`, and messages created before `toldBefore`.
  func forgetAlerts(closedBefore: Timestamp, toldBefore: Timestamp) throws
}
