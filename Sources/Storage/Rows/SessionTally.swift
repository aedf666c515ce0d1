public import Core
public import Statistics

/// The numbers of sessions by outcome, with the sums for confidence intervals. A tally that describes a change may be
/// negative, because a later update of a session replaces the earlier one.
public struct SessionTally: Sendable, Equatable {
  private var healthy: Int64 = 0
  private var errored: Int64 = 0
  private var unhandled: Int64 = 0
  private var abnormal: Int64 = 0
  private var crashed: Int64 = 0
  /// The sums of crashed sessions (x) and sessions (y) over user-days. A session without a user counts as a separate
  /// user-day.
  public var userDays = RatioMoments()
  /// The sums of sessions with a hang (x) and sessions (y) over the same user-days, for sessions whose client reports
  /// hangs.
  public var hangs = RatioMoments()
  /// The number of user-days of sessions with a known user.
  public var knownUserDays: Int64 = 0
  /// The number of user-days with a crash, of sessions with a known user.
  public var crashedUserDays: Int64 = 0

  /// Creates a tally without sessions.
  public init() {}

  /// The number of sessions with any outcome.
  public var total: Int64 {
    healthy.saturatingAdd(errored).saturatingAdd(unhandled).saturatingAdd(abnormal).saturatingAdd(crashed)
  }
  /// Whether the tally has no session.
  public var isEmpty: Bool { self == SessionTally() }

  /// The number of sessions with this outcome.
  public subscript(outcome: SessionOutcome) -> Int64 {
    get {
      switch outcome {
      case .healthy: healthy
      case .errored: errored
      case .unhandled: unhandled
      case .abnormal: abnormal
      case .crashed: crashed
      }
    }
    set {
      switch outcome {
      case .healthy: healthy = newValue
      case .errored: errored = newValue
      case .unhandled: unhandled = newValue
      case .abnormal: abnormal = newValue
      case .crashed: crashed = newValue
      }
    }
  }

  /// Adds another tally.
  public mutating func merge(_ other: SessionTally) {
    healthy = healthy.saturatingAdd(other.healthy)
    errored = errored.saturatingAdd(other.errored)
    unhandled = unhandled.saturatingAdd(other.unhandled)
    abnormal = abnormal.saturatingAdd(other.abnormal)
    crashed = crashed.saturatingAdd(other.crashed)
    userDays.merge(other.userDays)
    hangs.merge(other.hangs)
    knownUserDays = knownUserDays.saturatingAdd(other.knownUserDays)
    crashedUserDays = crashedUserDays.saturatingAdd(other.crashedUserDays)
  }

  /// The outcomes by raw value, the order in which they are stored.
  private static let outcomes = SessionOutcome.allCases

  /// Whether the tally has data about hangs, which the encoded form then includes.
  var knowsHangs: Bool { hangs != RatioMoments() }

  func encode(into writer: inout ByteWriter) {
    for outcome in Self.outcomes { writer.signed(self[outcome]) }
    userDays.encode(into: &writer)
    writer.signed(knownUserDays)
    writer.signed(crashedUserDays)
    if knowsHangs { hangs.encode(into: &writer) }
  }

  init(from reader: inout ByteReader, knowsHangs: Bool) throws(DamagedBytes) {
    for outcome in Self.outcomes { self[outcome] = try reader.signed() }
    userDays = try RatioMoments(from: &reader)
    knownUserDays = try reader.signed()
    crashedUserDays = try reader.signed()
    if knowsHangs { hangs = try RatioMoments(from: &reader) }
  }

  /// The number of sessions in a stored tally, read without decoding the rest.
  static func total(from reader: inout ByteReader) throws(DamagedBytes) -> Int64 {
    var total: Int64 = 0
    for _ in Self.outcomes { total = total.saturatingAdd(try reader.signed()) }
    return total
  }
}
