public import Core

/// The store of incidents, alert state and messages that wait for delivery. A message is stored in the transaction of
/// the changes that it reports, so that a crash loses none. Each channel receives it at least once.
public protocol IncidentStore: Sendable {
  /// The alert state of an app, or of the whole installation (`Incident.folder`).
  func alertState(of app: AppID) throws -> AlertState
  /// Stores the opened and changed incidents, the messages about them, and `state`, in one durable transaction. Returns
  /// false and stores nothing if the stored version is no longer `state.version`, because another process has stored a
  /// decision in the meantime.
  func decide(_ incidents: [Incident], _ messages: [AlertMessage], _ state: AlertState, of app: AppID) throws -> Bool
  /// Open incidents and those closed after an instant, newest first; of all apps if `app` is nil.
  func incidents(of app: AppID?, closedAfter: Timestamp) throws -> [Incident]
  /// The number of open incidents of each app that has any, by bundle identifier.
  func openIncidentCounts() throws -> [String: Int]
  /// The incident with this id; nil when there is none.
  func incident(_ id: String) throws -> Incident?
  /// Deletes incidents closed before `closedBefore`, silences that ended before it, and messages created before
  /// `toldBefore`.
  func forgetAlerts(closedBefore: Timestamp, toldBefore: Timestamp) throws

  /// The messages with a channel on which they are neither delivered nor abandoned, oldest first.
  func pendingMessages() throws -> [AlertMessage]
  /// The delivery state of the last message about each incident: by incident, then by channel. Messages are kept for 30
  /// days.
  func lastDeliveries() throws -> [String: [String: DeliveryState]]
  /// The number of messages since `start` that a channel failed to deliver and has not delivered later, by channel.
  func undeliveredMessages(since start: Timestamp) throws -> [String: Int]
  /// Claims a message for sending on a channel. Returns false if it was already delivered there, or if another process
  /// claimed it less than a minute ago.
  func claim(_ message: String, channel: String, at now: Timestamp) throws -> Bool
  func markDelivered(_ message: String, channel: String, at now: Timestamp) throws
  /// Stores a failed attempt and releases the claim. With `isFinal` there are no further attempts.
  func markFailed(_ message: String, channel: String, reason: String, isFinal: Bool, at now: Timestamp) throws
  /// Marks a message as complete on all channels, so that it is no longer pending.
  func settle(_ message: String, at now: Timestamp) throws
}

/// The state from which the next evaluation of an app's alerts starts: the last evaluation and the open incidents.
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
