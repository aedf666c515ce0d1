public import Core

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

/// A record that ended the process, cannot be decoded or was refused by the store, or a damaged row of the store. It is
/// kept aside and not counted in any number.
public struct QuarantinedRecord: Sendable, Equatable {
  /// The record's sequence; 0 for a row.
  public var sequence: Int64
  /// The number of records or rows that this entry stands for.
  public var count = 1
  /// The table and key of a damaged row; empty for a record.
  public var place = ""
  /// The app of the record; nil if the record is damaged before its app id.
  public var app: AppID?
  public var received: Timestamp
  /// The reason for the quarantine, as a sentence.
  public var reason: String
  public var record: [UInt8]
  /// The time of the quarantine; set only for stored records.
  public var setAside = Timestamp(milliseconds: 0)

  public init(sequence: Int64, app: AppID?, received: Timestamp, reason: String, record: [UInt8]) {
    self.sequence = sequence
    self.app = app
    self.received = received
    self.reason = reason
    self.record = record
  }
}

/// A marker on disk for the batch in progress. If it exists when a process starts, an earlier process crashed or was
/// killed during that batch.
public protocol DigestMarker: Sendable {
  /// Stores `target`, the position that the digest will reach with the batch it starts.
  func set(_ target: DigestPosition) throws

  /// Removes the marker after the batch was applied.
  func clear() throws

  /// The position in the marker of a process that ended during a batch; nil without a marker.
  func read() throws -> DigestPosition?
}

extension DigestPosition {
  /// Parses a marker such as `digesting 1200 7=1100` (position, then each app that is behind); nil for any other text.
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

  /// The marker's text, which `init(marker:)` parses.
  public var marker: String { "digesting \(through)" + behind.map { " \($0.key)=\($0.value)" }.joined() }
}
