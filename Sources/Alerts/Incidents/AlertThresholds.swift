/// The thresholds of the alert rules, which the settings can change.
public struct AlertThresholds: Sendable, Hashable {
  /// Milliseconds after which the message about an incident that is still open is repeated; nil for never.
  public var reminder: Int64?
  /// Minutes a release must have been in use before incidents about it are opened.
  public var releaseAge: Int
  /// The share of a release's sessions, 0 to 1, above which a new group of crashes or hangs opens an incident.
  public var groupShare: Double
  /// The least number of minutes without a payload that opens an incident; longer pauses are accepted where the app
  /// usually has them.
  public var staleAfter: Int
  /// Minutes a record may wait for the digest before an incident is opened.
  public var digestWithin: Int

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

  /// A text stored with each decision: while it and the data are unchanged, the rules would give the same findings.
  public var fingerprint: String { "3 \(releaseAge) \(groupShare)" }
}
