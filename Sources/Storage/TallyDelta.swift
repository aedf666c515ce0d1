public import Telemetry

/// How often something happened to an app's payloads that numbers do not show.
public struct TallyDelta: Sendable, Equatable {
  public var app: AppID
  public var day: CalendarDay
  public var kind: TallyKind
  /// The program it happened to, as it calls itself; empty when unknown.
  public var client: String
  /// `4.2.0 (1234)`; empty when unknown.
  public var release: String
  /// What was wrong, in one word: `syntax`, `type`, `unsupported`.
  public var reason: String
  /// The key path of the last one, to find the fault in the client.
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

extension TallyDelta {
  /// The reason of sessions that count without their user, because the user has too many.
  public static let withoutUser = "sessions without their user"
}

/// What is counted beside the numbers, so that nothing is lost silently.
///
/// Raw values are stored: never change one.
public enum TallyKind: UInt8, Sendable, CaseIterable {
  case accepted = 1
  case rejected = 2
  case duplicate = 3
  case suspectedDuplicate = 4
  case rejectedSample = 5
  case lateSession = 6
  /// A release, device, label or metric beyond its cap went to "(other)".
  case capped = 7
  case limited = 8
  /// An unknown unit word or a missing time was read as the most likely one.
  case guessed = 9
  /// A point or log record was left out while the rest of its request was kept.
  case rejectedPart = 10
  /// The client reported that it could not send it.
  case lostByClient = 11
  /// A report came days after its newest day.
  case late = 12
  /// A diagnostic that came again.
  case repeatedDiagnostic = 13
  /// A report of a kind that numbers leave out: simulated, or spanning several releases.
  case setApart = 14
  /// A request that was understood and held nothing to keep.
  case empty = 15
  /// A record that ended the process, or that the store refused: it is kept and not in the numbers.
  case quarantined = 16

  /// `rejected`
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
    }
  }
}
