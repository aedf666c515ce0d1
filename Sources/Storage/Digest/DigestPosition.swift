/// The position up to which a node's records are applied to a store.
///
/// Apps share the digest. An app that sends more than its share falls behind: the digest skips its records, continues
/// with those of other apps, and applies the skipped records later, in order.
public struct DigestPosition: Sendable, Equatable {
  /// The sequence up to which every record is applied or belongs to an app that is behind.
  public var through: Int64
  /// The apps with skipped records, each with the sequence up to which its own are applied.
  public var behind: [AppID: Int64]

  public init(through: Int64 = 0, behind: [AppID: Int64] = [:]) {
    self.through = through
    self.behind = behind
  }

  /// The sequence up to which every record of every app is applied, so that earlier ones can be deleted.
  public var applied: Int64 { behind.values.min().map { min($0, through) } ?? through }

  /// The journal sequence up to which every record of `app` is applied.
  public func applied(of app: AppID) -> Int64 { behind[app] ?? through }

  /// Whether every record that is applied at `target` is also applied at this position.
  public func covers(_ target: DigestPosition) -> Bool {
    through >= target.through && behind.allSatisfy { app, sequence in sequence >= target.applied(of: app) }
  }
}
