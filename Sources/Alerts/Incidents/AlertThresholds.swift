/// What a team may set about its alerts.
public struct AlertPolicy: Sendable, Hashable {
  /// Milliseconds after which an incident that is still broken is told of again; nil for never.
  public var reminder: Int64?
  /// A release that was in use for fewer minutes opens no incident of its own.
  public var releaseAge: Int
  /// The share of a release's sessions beyond which a new cause of crashes or hangs is told of.
  public var groupShare: Double
  /// Silence of payloads that is never worth a message, in minutes.
  public var staleAfter: Int
  /// Minutes a payload may wait for the digest.
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

  /// Changes when what is evaluated changes.
  public var fingerprint: String { "2 \(releaseAge) \(groupShare)" }
}
