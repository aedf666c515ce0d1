public import Core

/// A count of intake events of one kind on one day of an app, such as accepted, rejected, duplicate, late or lost
/// payloads.
public struct IntakeTally: Sendable, Equatable {
  public var app: AppID
  public var day: CalendarDay
  public var kind: TallyKind
  /// The client's name and version as it sends them; empty when unknown.
  public var client: String
  /// The title of the release, such as `4.2.0 (1234)`; empty when unknown.
  public var release: String
  /// The reason, such as `syntax`, `type` or `unsupported`.
  public var reason: String
  /// The message or key path of the last occurrence, which helps to find the fault in the client.
  public var detail: String
  public var count: Int

  public init(
    app: AppID, day: CalendarDay, kind: TallyKind, client: String = "", release: String = "", reason: String,
    detail: String, count: Int
  ) {
    self.app = app
    self.day = day
    self.kind = kind
    self.client = client
    self.release = release
    self.reason = reason
    self.detail = detail
    self.count = count
  }
}

extension IntakeTally {
  /// The app id for data without a known app, such as a record that cannot be decoded. No app has this id: app ids
  /// start at 1. It is not an optional because it is stored in a column of the table's key.
  public static let unknownApp: AppID = 0
  /// The day for data without a known time of receipt, until the store replaces it by the day of its last receipt. No
  /// data is received on this day in 1970.
  public static let unknownDay = CalendarDay(number: 0)

  /// The reason for sessions that are counted without their user, because the user has too many sessions.
  public static let withoutUser = "sessions without their user"
  /// The reason for first values of cumulative streams that are not counted, because the stream may have been counted
  /// and then evicted.
  public static let returnedStream = "first value of a stream that may have been counted"
}

/// The kinds of events that are counted in addition to metrics, so that no loss goes unrecorded.
///
/// Raw values are stored: never change one.
public enum TallyKind: UInt8, Sendable, CaseIterable {
  case accepted = 1
  case rejected = 2
  case duplicate = 3
  case suspectedDuplicate = 4
  case rejectedSample = 5
  case lateSession = 6
  /// A release, device, label or metric beyond its limit was counted as "(other)".
  case capped = 7
  case limited = 8
  /// An unknown unit or a missing time was replaced by an assumption.
  case guessed = 9
  /// A part of a request, such as a point or log record, was refused while the rest was accepted.
  case rejectedPart = 10
  /// The client reported that it discarded data.
  case lostByClient = 11
  /// A report arrived two days or more after its newest day.
  case late = 12
  /// A diagnostic was sent again.
  case repeatedDiagnostic = 13
  /// A report is not counted for any release, because it is simulated or spans several releases.
  case setApart = 14
  /// A request was decoded, but contained nothing to store.
  case empty = 15
  /// A record ended the process, cannot be decoded, was refused by the store or is lost, or a stored row is damaged.
  /// Its remaining bytes are kept aside and not counted in any number.
  case quarantined = 16
  /// A part of a request is of a kind that is never stored, such as a Sentry attachment.
  case skipped = 17

  /// The name in the API, such as `rejected`.
  public var name: String {
    switch self {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .duplicate: "duplicate"
    case .suspectedDuplicate: "suspected_duplicate"
    case .rejectedSample: "rejected_sample"
    case .lateSession: "late_session"
    case .capped: "capped"
    case .limited: "limited"
    case .guessed: "guessed"
    case .rejectedPart: "rejected_part"
    case .lostByClient: "lost_by_client"
    case .late: "late"
    case .repeatedDiagnostic: "repeated_diagnostic"
    case .setApart: "set_apart"
    case .empty: "empty"
    case .quarantined: "quarantined"
    case .skipped: "skipped"
    }
  }
}
