/// The settings of alert rules.
public struct AlertThresholds: Sendable, Hashable {
  /// Milliseconds after which a message about an incident that is still broken is repeated; nil for never.
  public var reminder: Int64?
  /// Minutes a release must have been in use before it opens incidents of its own.
  public var releaseAge: Int
  /// The share of a release's sessions, 0 to 1, beyond which a new cause of crashes or hangs opens an incident.
  public var groupShare: Double
  /// Minutes without a payload that never open an incident; longer where that is usual for the app.
  public var staleAfter: Int
  /// Minutes a record may wait for the digest before that is an incident.
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

  /// Equal texts mean that the rules give the same findings for the same data; stored with each decision.
  public var fingerprint: String { "2 \(releaseAge) \(groupShare)" }
}
