public import Core

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
