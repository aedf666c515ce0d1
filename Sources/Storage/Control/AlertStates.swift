public import Telemetry

/// The state of an app's alerts before an evaluation.
public struct AlertState: Sendable, Equatable {
  /// Grows with every change.
  public var version: Int64
  /// The sequence through which data was evaluated.
  public var digestedThrough: Int64
  /// A fingerprint of the budgets and settings that were evaluated.
  public var rules: String
  /// Open incidents, the oldest first.
  public var open: [Incident]

  public init(version: Int64 = 0, digestedThrough: Int64 = -1, rules: String = "", open: [Incident] = []) {
    self.version = version
    self.digestedThrough = digestedThrough
    self.rules = rules
    self.open = open
  }
}

/// What was decided: written as a whole, or not at all.
public struct AlertDecision: Sendable, Equatable {
  /// Incidents that opened or changed.
  public var incidents: [Incident]
  /// The messages to send about it.
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

/// Incidents, and what was decided about them.
public protocol IncidentStore: Sendable {
  /// What is known of an app, or of the folder.
  func alertState(of app: AppID) throws -> AlertState
  /// Writes a decision with its messages in one transaction, durably. False, and nothing is written, when the state is
  /// no longer of this version: another process has decided meanwhile.
  func decide(_ decision: AlertDecision, of app: AppID, version: Int64) throws -> Bool
  /// Open incidents, and those that closed after an instant; the newest first. `app` nil: of all.
  func incidents(of app: AppID?, closedAfter: Timestamp) throws -> [Incident]
  /// Nil when there is none.
  func incident(_ id: String) throws -> Incident?
  /// Deletes incidents that closed, silences that ended and messages that were made before these instants.
  func forgetAlerts(closedBefore: Timestamp, toldBefore: Timestamp) throws
}
