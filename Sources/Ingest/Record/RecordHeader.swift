public import Core

/// The fields that every record of a report begins with.
public struct RecordHeader: Sendable, Hashable {
  var app: Int32
  var received: Timestamp
  /// The UTC offsets of the app's time zone.
  var clock: TimeZoneOffsets
  /// The client's name, such as its User-Agent; empty if not sent.
  var client: String

  public init(app: Int32, received: Timestamp, clock: TimeZoneOffsets = .utc, client: String = "") {
    self.app = app
    self.received = received
    self.clock = clock
    self.client = client
  }
}
