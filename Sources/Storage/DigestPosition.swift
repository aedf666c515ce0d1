public import Telemetry

/// How far the records of a node are applied to a store.
///
/// Apps share the digest. One that sends more than its share falls behind: the digest passes its records, goes on with
/// those of other apps, and applies what it passed later, in order.
public struct DigestPosition: Sendable, Equatable {
  /// Every record up to this sequence is applied, or belongs to an app that is behind.
  public var through: Int64
  /// Apps with records that were passed, each with the sequence up to which its records are applied.
  public var behind: [AppID: Int64]

  public init(through: Int64 = 0, behind: [AppID: Int64] = [:]) {
    self.through = through
    self.behind = behind
  }

  /// The sequence up to which every record of every app is applied: what lies before it can be deleted.
  public var applied: Int64 { behind.values.min().map { min($0, through) } ?? through }

  /// The sequence up to which every record of `app` is applied.
  public func applied(of app: AppID) -> Int64 { behind[app] ?? through }

  /// Whether everything that `target` had applied is applied here, too.
  public func covers(_ target: DigestPosition) -> Bool {
    through >= target.through && behind.allSatisfy { app, sequence in sequence >= target.applied(of: app) }
  }
}

/// A record that ended the process, or that the store refused on its own: it is kept and never digested.
public struct QuarantinedRecord: Sendable, Equatable {
  public var sequence: Int64
  /// Nil when the record does not say.
  public var app: AppID?
  public var received: Timestamp
  /// What happened, in words.
  public var reason: String
  public var record: [UInt8]
  /// When it was set aside; known of stored ones.
  public var setAside = Timestamp(milliseconds: 0)

  public init(sequence: Int64, app: AppID?, received: Timestamp, reason: String, record: [UInt8]) {
    self.sequence = sequence
    self.app = app
    self.received = received
    self.reason = reason
    self.record = record
  }
}
