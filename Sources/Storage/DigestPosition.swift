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
  /// Nil when the record does not name it.
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

/// A note on disk of what the digest is about to do. A note that stands there when a process starts is of a process that
/// crashed or was killed at that work.
public protocol DigestMarker: Sendable {
  /// The records up to this position are being worked on.
  func set(_ target: DigestPosition) throws

  /// The work was done.
  func clear() throws

  /// What was set and not cleared.
  func read() throws -> DigestPosition?
}

extension DigestPosition {
  /// Reads `digesting 1200 7=1100`; nil for anything else.
  public init?(marker line: String) {
    let words = line.split(separator: " ")
    guard words.count > 1, words[0] == "digesting", let through = Int64(words[1]) else { return nil }
    self.init(through: through)
    for word in words.dropFirst(2) {
      let pair = word.split(separator: "=")
      guard pair.count == 2, let app = AppID(pair[0]), let sequence = Int64(pair[1]) else { return nil }
      behind[app] = sequence
    }
  }

  /// The form that `init(marker:)` reads.
  public var marker: String { "digesting \(through)" + behind.map { " \($0.key)=\($0.value)" }.joined() }
}
