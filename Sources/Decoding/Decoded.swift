public import Telemetry

/// What a body held.
public struct Decoded: Sendable, Equatable {
  public var reports: [Report]
  /// The id that a Sentry client gave its event or envelope, 32 hexadecimal digits; nil when it gave none.
  public var eventID: String?
  /// Parts that were left out while the rest was kept; nil when nothing was.
  public var rejection: PartialRejection?

  public init(reports: [Report], eventID: String? = nil, rejection: PartialRejection? = nil) {
    self.reports = reports
    self.eventID = eventID
    self.rejection = rejection
  }
}

/// Points or log records that could not be kept.
public struct PartialRejection: Sendable, Equatable {
  public var count: Int
  /// What was wrong with the first of them, for the client's developer.
  public var message: String

  public init(count: Int, message: String) {
    self.count = count
    self.message = CleanText.name(message, atMost: 2000)
  }
}
