import Bytes
public import Statistics
public import Telemetry

/// Sessions by outcome, with what an interval needs about users. A delta may be negative: the winning update of a session
/// replaces the one before.
public struct SessionTally: Sendable, Equatable {
  private var healthy: Int64 = 0
  private var errored: Int64 = 0
  private var unhandled: Int64 = 0
  private var abnormal: Int64 = 0
  private var crashed: Int64 = 0
  /// Over user-days (sessions without a user count as one each): x crashed sessions of y sessions.
  public var userDays = PairSum()
  /// User-days, and those with a crash, of sessions whose user is known.
  public var knownUserDays: Int64 = 0
  public var crashedUserDays: Int64 = 0

  /// No sessions.
  public init() {}

  /// All sessions.
  public var total: Int64 {
    healthy.addingSaturated(errored).addingSaturated(unhandled).addingSaturated(abnormal).addingSaturated(crashed)
  }
  /// Nothing is counted.
  public var isEmpty: Bool { self == SessionTally() }

  /// The number of sessions that went so.
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

  /// The sum of both.
  public func merged(with other: SessionTally) -> SessionTally {
    var sum = self
    for outcome in Self.outcomes { sum[outcome] = self[outcome].addingSaturated(other[outcome]) }
    sum.userDays.merge(other.userDays)
    sum.knownUserDays = knownUserDays.addingSaturated(other.knownUserDays)
    sum.crashedUserDays = crashedUserDays.addingSaturated(other.crashedUserDays)
    return sum
  }

  /// By raw value: the order they are stored in.
  private static let outcomes = SessionOutcome.allCases

  func encode(into writer: inout ByteWriter) {
    for outcome in Self.outcomes { writer.signed(self[outcome]) }
    userDays.encode(into: &writer)
    writer.signed(knownUserDays)
    writer.signed(crashedUserDays)
  }

  init(from reader: inout ByteReader) throws(DamagedBytes) {
    for outcome in Self.outcomes { self[outcome] = try reader.signed() }
    userDays = try PairSum(from: &reader)
    knownUserDays = try reader.signed()
    crashedUserDays = try reader.signed()
  }

  /// All sessions of a stored tally; the fields after their numbers are not read.
  static func total(from reader: inout ByteReader) throws(DamagedBytes) -> Int64 {
    var total: Int64 = 0
    for _ in Self.outcomes { total = total.addingSaturated(try reader.signed()) }
    return total
  }
}

/// The users of a day, and those of them who saw a crash.
public struct UserTally: Sendable, Equatable {
  public var all: UserSet
  public var crashed: UserSet

  public init(all: UserSet = UserSet(), crashed: UserSet = UserSet()) {
    self.all = all
    self.crashed = crashed
  }

  /// Unites both sets with another day's or part's.
  public mutating func merge(_ other: UserTally) {
    all.merge(other.all)
    crashed.merge(other.crashed)
  }

  /// Takes users out of both sets, as far as they are kept one by one.
  public mutating func subtract(_ other: UserTally) {
    all.subtract(other.all)
    crashed.subtract(other.crashed)
  }

  /// Both sets are empty.
  public var isEmpty: Bool { self == UserTally() }
}
