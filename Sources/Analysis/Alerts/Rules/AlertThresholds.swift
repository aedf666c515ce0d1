import Core
import Storage

/// The thresholds of the alert rules, which the settings can change.
public struct AlertThresholds: Sendable, Hashable {
  /// Milliseconds after which the message about an open incident is repeated; nil for no reminders.
  public var reminder: Int64?
  /// Minutes that a release must have been in use before incidents about it open.
  public var releaseAge: Int
  /// The share of a release's sessions, 0 to 1, above which a new group of crashes or hangs opens an incident.
  public var groupShare: Double
  /// The minimum number of minutes without a payload that opens an incident. Apps that usually have longer pauses get
  /// more time.
  public var staleAfter: Int
  /// Minutes that a record may wait for the digest before an incident opens.
  var digestWithin: Int

  public init(
    reminder: Int64? = Finding.day, releaseAge: Int = 120, groupShare: Double = 0.005, staleAfter: Int = 1440,
    digestWithin: Int = 15
  ) {
    self.reminder = reminder
    self.releaseAge = releaseAge
    self.groupShare = groupShare
    self.staleAfter = staleAfter
    self.digestWithin = digestWithin
  }

  /// A text stored with each decision. If it and the data are unchanged, the rules return the same findings.
  var fingerprint: String { "3 \(releaseAge) \(groupShare)" }
}
